package access

import (
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T) (*Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data", "web.json")
	return Open(path), path
}

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func TestAccounts(t *testing.T) {
	s, path := open(t)
	for _, bad := range []string{"", " ", "(link)", "a\nb", "<b>", strings.Repeat("x", 41)} {
		if err := s.SetAccount(bad, Root, "long enough", noon); err == nil {
			t.Errorf("%q can be an account", bad)
		}
	}
	if err := s.SetAccount("Rook", Admin, "", noon); !errors.Is(err, ErrNotFound) {
		t.Errorf("an account without a password: %v", err)
	}
	if err := s.SetAccount("Rook", Admin, "long enough", noon); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]error{"long enough": nil, "wrong": ErrWrong, "": ErrWrong, strings.Repeat("x", maxPassword+1): ErrWrong} {
		if _, err := s.Check("rook", text); !errors.Is(err, want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if _, err := s.Check("nobody", "long enough"); !errors.Is(err, ErrWrong) {
		t.Errorf("a name that is not known: %v", err)
	}
	who, _ := s.Check("ROOK", "long enough")
	id, err := s.NewSession(who, noon)
	if err != nil {
		t.Fatal(err)
	}
	other := Open(path) // another program
	if err := other.SetAccount("rook", Viewer, "", noon); err != nil {
		t.Fatal(err)
	}
	if got, ok := s.Session(id, noon); !ok || got != (Identity{"Rook", Viewer, "web"}) {
		t.Errorf("the session after the role has changed: %v, %v", got, ok)
	}
	if err := other.SetAccount("rook", Viewer, "another word", noon); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Session(id, noon); ok {
		t.Error("a new password leaves the sessions of who knew the old one")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"long enough", "another word", id} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the file has the secret %s", secret)
		}
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v", info.Mode())
	}
	if err := s.RemoveAccount("Rook"); err != nil {
		t.Error(err)
	}
	if err := s.RemoveAccount("Rook"); !errors.Is(err, ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
}

func TestLinksAndSessions(t *testing.T) {
	s, path := open(t)
	code, err := s.AddLink(noon)
	if err != nil {
		t.Fatal(err)
	}
	old, err := s.AddLink(noon.Add(-linkFor))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "x", old} {
		if _, err := s.RedeemCode(bad, noon); !errors.Is(err, ErrSpent) {
			t.Errorf("the link %q: %v", bad, err)
		}
	}
	who, err := s.RedeemCode(code, noon)
	if err != nil || who.Role != Root {
		t.Fatalf("%v, %v", who, err)
	}
	if _, err := Open(path).RedeemCode(code, noon); !errors.Is(err, ErrSpent) {
		t.Errorf("a link is taken twice: %v", err)
	}
	id, err := s.NewSession(who, noon)
	if err != nil {
		t.Fatal(err)
	}
	at := noon
	for at.Sub(noon) < SessionFor-time.Hour { // it is used every hour
		at = at.Add(time.Hour)
		if got, ok := s.Session(id, at); !ok || got.Role != Root {
			t.Fatalf("after %v: %v, %v", at.Sub(noon), got, ok)
		}
	}
	if _, ok := s.Session(id, noon.Add(SessionFor+time.Minute)); ok {
		t.Error("a session has no end")
	}
	id, _ = s.NewSession(who, noon)
	if _, ok := s.Session(id, noon.Add(sessionIdle+time.Minute)); ok {
		t.Error("an idle session has no end")
	}
	if list, err := s.Sessions(noon); err != nil || len(list) != 2 || list[1].Account != "(link)" || list[1].Hash != "" {
		t.Errorf("sessions: %+v, %v", list, err)
	}
	if err := s.End(id); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Session(id, noon); ok {
		t.Error("a session goes on after its end")
	}
	id, _ = s.NewSession(who, noon)
	if err := s.EndSessions("(link)"); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Session(id, noon); ok {
		t.Error("a session goes on after all were ended")
	}
	if err := s.EndSessions("(link)"); !errors.Is(err, ErrNotFound) {
		t.Errorf("ended twice: %v", err)
	}
	_ = s.change(func(st *state) error {
		st.Sessions = append([]Session{{Hash: "y", Account: "Rook", Made: noon, Seen: noon}},
			slices.Repeat([]Session{{Hash: "x", Account: who.Name, Made: noon, Seen: noon}}, maxSessions)...)
		return nil
	})
	id, _ = s.NewSession(who, noon)
	if st, err := s.read(); err != nil || len(st.Sessions) != 1+maxSessions || st.Sessions[0].Account != "Rook" {
		t.Errorf("%d sessions, want the one of Rook and %d of the account that began one: %v", len(st.Sessions), maxSessions, err)
	}
	if _, ok := s.Session(id, noon); !ok {
		t.Error("the newest session has made room itself")
	}
}

func TestTokens(t *testing.T) {
	s, path := open(t)
	home := netip.MustParsePrefix("192.168.0.0/16")
	text, err := s.AddToken(Token{Name: "bot", Role: Moderator, Networks: []netip.Prefix{home}, Expires: noon.Add(time.Hour), Made: noon})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddToken(Token{Name: "BOT", Role: Root}); err == nil {
		t.Error("a token takes the name of another")
	}
	for _, c := range []struct {
		text, from string
		after      time.Duration
		ok         bool
	}{
		{text, "192.168.1.2", 0, true},
		{text, "10.0.0.1", 0, false},
		{text, "192.168.1.2", 2 * time.Hour, false},
		{text + "x", "192.168.1.2", 0, false},
		{"", "192.168.1.2", 0, false},
	} {
		who, ok := s.Token(c.text, netip.MustParseAddr(c.from), noon.Add(c.after))
		if ok != c.ok || ok && who != (Identity{"bot", Moderator, "api"}) {
			t.Errorf("%+v: %v, %v", c, who, ok)
		}
	}
	file, _ := os.ReadFile(path)
	if strings.Contains(string(file), text) {
		t.Error("the file has the token")
	}
	list, err := s.Tokens()
	if shown, _ := json.Marshal(list); err != nil || strings.Contains(string(shown), "hash") {
		t.Errorf("%s, %v", shown, err)
	}
	if err := s.RemoveToken("bot"); err != nil {
		t.Error(err)
	}
	if _, ok := s.Token(text, home.Addr(), noon); ok {
		t.Error("a token works after its end")
	}
}

func TestDamagedFile(t *testing.T) {
	s, path := open(t)
	if _, err := s.AddLink(noon); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{s.RemoveAccount("x"), func() error { _, err := s.Accounts(); return err }()} {
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%v", err)
		}
	}
}

// A program that stands still with the file keeps nobody waiting for good.
func TestLockIsHeld(t *testing.T) {
	s, path := open(t)
	synctest.Test(t, func(t *testing.T) {
		if _, err := s.AddLink(noon); err != nil {
			t.Fatal(err)
		}
		other := Open(path)
		if err := other.lock.Lock(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AddLink(noon); err == nil || !strings.Contains(err.Error(), path+".lock is held") {
			t.Errorf("%v", err)
		}
		_ = other.lock.Unlock()
		if _, err := s.AddLink(noon); err != nil {
			t.Error(err)
		}
	})
}

// Identity gives a role that does not exist reads which do.
func TestNoSuchRole(t *testing.T) {
	role := Admin
	err := role.UnmarshalText([]byte("king"))
	if want := `there is no role "king": use one of viewer, moderator, admin, root`; err == nil || err.Error() != want || role != Admin {
		t.Errorf("%v: %v, want %s", role, err, want)
	}
}
