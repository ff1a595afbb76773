package realm

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/realmtest"
	"w3host/internal/tier"
	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/realm/bncs"
	"w3host/realm/session"

	"w3host/internal/testkit"
)

const password = "Hunter2-secret"

type rig struct {
	*Realms
	s      *realmtest.Server
	log    *testkit.Log
	speech chan Speech
}

func newRig(t *testing.T, s *realmtest.Server, change func(*Account)) *rig {
	t.Helper()
	v, _ := bncs.VersionOf(26)
	entry := Account{Realm: "Home", Address: s.Addr(), Session: session.Config{
		Account: "Bot", Password: password, Channel: "w3", Product: w3gs.ProductTFT, Version: v, Language: "enUS",
		Port: 6113, Games: 2, Pause: 20 * time.Millisecond,
	}}
	if change != nil {
		change(&entry)
	}
	r := &rig{s: s, log: &testkit.Log{}, speech: make(chan Speech, 100)}
	var err error
	r.Realms, err = Start(Options{
		Accounts: []Account{entry}, Log: zerolog.New(r.log).Level(zerolog.TraceLevel),
		Heard: func(s Speech) { r.speech <- s },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Shutdown()
		hash := bncs.PasswordHash(password)
		text := r.log.String()
		for _, secret := range []string{password, strings.ToLower(password), hex.EncodeToString(hash[:]), string(hash[:])} {
			if strings.Contains(text, secret) {
				t.Errorf("the log shows %q", secret)
			}
		}
		if t.Failed() {
			t.Log(text)
		}
	})
	return r
}

// atHome is a rig whose account the realm knows.
func atHome(t *testing.T, change func(*Account)) *rig {
	t.Helper()
	s := realmtest.Start(t)
	s.Register("Bot", password)
	return newRig(t, s, change)
}

// open opens lobbies.
func (r *rig) open(t *testing.T, ads ...lan.Advert) {
	t.Helper()
	for _, ad := range ads {
		if err := r.Open(ad); err != nil {
			t.Fatal(err)
		}
	}
}

func advert(id uint32, name string) lan.Advert {
	return lan.Advert{
		GameID: id, Name: name, Port: 6113, Count: lan.Count{Slots: 10, Open: 9},
		Stat: w3gs.StatString{MapPath: `Maps\Download\x.w3x`, HostName: "w3host", HasSHA1: true},
	}
}

func (r *rig) lists(name string) bool {
	games := r.s.Games()
	return len(games) == 1 && games[0].Name == name
}

// A fresh and an existing account, three lobbies one after the other, the channel
// between them.
func TestLifeOnTheRealm(t *testing.T) {
	s := realmtest.Start(t)
	first := newRig(t, s, func(a *Account) { a.Session.Create = true })
	testkit.Eventually(t, "in the channel", func() bool { return s.Channel("bot") == "w3" })
	first.Shutdown()
	r := newRig(t, s, nil)
	for id := uint32(1); id <= 3; id++ {
		testkit.Eventually(t, "in the channel", func() bool { return s.Channel("bot") == "w3" })
		name := fmt.Sprintf("lobby %d", id)
		r.open(t, advert(id, name))
		testkit.Eventually(t, "listed", func() bool { return r.lists(name) })
		g := s.Games()[0]
		stat, err := bncs.ParseGameStat(g.Stat)
		if err != nil || stat.GameID != id|1<<28 || stat.Free != 9 || g.Addr.Port() != 6113 {
			t.Errorf("listed %+v, %+v, %v", g, stat, err)
		}
		if r.Realm(stat.GameID) != "Home" || r.Realm(id) != "" || r.Realm(2<<28|id) != "" {
			t.Error("the game id does not name the realm")
		}
		r.Update(id, lan.Count{Slots: 10, Open: 0})
		testkit.Eventually(t, "hidden while full", func() bool { return len(s.Games()) == 0 })
		r.Update(id, lan.Count{Slots: 10, Open: 9})
		testkit.Eventually(t, "shown again", func() bool { return r.lists(name) })
		r.Close(id)
		testkit.Eventually(t, "withdrawn", func() bool { return len(s.Games()) == 0 })
	}
	testkit.Eventually(t, "back in the channel", func() bool { return s.Channel("bot") == "w3" })
}

// At whatever frame the line is cut, going out or coming in, in half or after
// garbage, while the account is registered, logs on, talks, lists a lobby or takes it
// off: the account comes back and the lobby is listed.
func TestCutAtEveryFrame(t *testing.T) {
	type way struct {
		id       bncs.ID
		toClient bool
	}
	both := []bncs.ID{
		bncs.IDPing, bncs.IDAuthInfo, bncs.IDAuthCheck, bncs.IDCreate, bncs.IDLogon, bncs.IDProof, bncs.IDEnterChat,
		bncs.IDAdvertise, bncs.IDListGames,
	}
	out := []bncs.ID{bncs.IDGamePort, bncs.IDJoinChannel, bncs.IDChat, bncs.IDStopAdvert, bncs.IDLeaveGame}
	for name, fault := range map[string]realmtest.Fault{
		"cut": realmtest.Cut, "half": realmtest.Half, "garbage": realmtest.Garbage, "lie": realmtest.Lie,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := realmtest.Start(t)
			left := map[way]bool{{bncs.IDChatEvent, true}: true}
			for _, id := range both {
				left[way{id, false}], left[way{id, true}] = true, true
			}
			for _, id := range out {
				left[way{id, false}] = true
			}
			missing := func() (n int) {
				s.Locked(func() { n = len(left) })
				return n
			}
			failed := 0 // the connection that has had its fault
			s.Faults(func(at realmtest.At) realmtest.Fault {
				w := way{at.ID, at.ToClient}
				if at.Conn == failed || !left[w] {
					return realmtest.None
				}
				delete(left, w)
				failed = at.Conn
				return fault
			})
			r := newRig(t, s, func(a *Account) { a.Session.Pause, a.Session.Create = time.Millisecond, true })
			ann := s.Person("Ann", "")
			for id := uint32(1); missing() > 0; id++ {
				if id > 100 {
					t.Fatalf("nothing failed at %v", left)
				}
				lobby := fmt.Sprint("lobby ", id)
				r.open(t, advert(id, lobby))
				testkit.Eventually(t, "listed", func() bool { return r.lists(lobby) })
				ann.Say("/w bot hello")
				select {
				case said := <-r.speech:
					said.Reply("hello", false)
				case <-time.After(100 * time.Millisecond): // cut
				}
				r.Close(id)
				testkit.Eventually(t, "in the channel", func() bool { return s.Channel("bot") == "w3" && len(s.Games()) == 0 })
			}
		})
	}
}

// Frames that come byte by byte are put together.
func TestSlowLine(t *testing.T) {
	s := realmtest.Start(t)
	s.Register("Bot", password)
	s.Faults(func(at realmtest.At) realmtest.Fault {
		if at.ToClient && at.ID != bncs.IDAuthInfo { // its 200 bytes take too long here
			return realmtest.Drip
		}
		return realmtest.None
	})
	r := newRig(t, s, nil)
	r.open(t, advert(1, "lobby"))
	testkit.Eventually(t, "listed", func() bool { return r.lists("lobby") })
}

// The realm restarts while a lobby is open: it is listed again.
func TestRestart(t *testing.T) {
	r := atHome(t, nil)
	r.open(t, advert(1, "lobby"))
	testkit.Eventually(t, "listed", func() bool { return r.lists("lobby") })
	r.s.Down()
	testkit.Eventually(t, "noticed", func() bool { return !r.accounts[0].online.Load() })
	r.s.Up()
	testkit.Eventually(t, "listed again", func() bool { return r.lists("lobby") })
}

// Whispers come with the name that the realm vouches for; answers go back, as many
// as the quota takes, and nobody is kicked.
func TestWhispers(t *testing.T) {
	tier.All(t, "waits for real time")
	r := atHome(t, nil)
	testkit.Eventually(t, "in the channel", func() bool { return r.s.Channel("bot") == "w3" })
	ann := r.s.Person("Ann", "w3")
	ann.Say("/w bot hello")
	got := <-r.speech
	if got.From != "Ann" || got.Text != "hello" || !got.Whisper || got.Realm != "Home" {
		t.Errorf("heard %+v", got)
	}
	r.Whisper("HOME", "Ann", "Bob invites you")
	if got := ann.Await(t, bncs.EventWhisper).Text; got != "Bob invites you" {
		t.Errorf("an invitation is %q", got)
	}
	r.Whisper("nowhere", "Ann", "lost")
	for i := range 12 {
		got.Reply(fmt.Sprintf("answer %d", i), false)
	}
	for last := ""; !strings.Contains(last, "answer 11"); {
		last = ann.Await(t, bncs.EventWhisper).Text
	}
	ann.Say("!games")
	if got := <-r.speech; got.Whisper || got.Text != "!games" {
		t.Errorf("heard %+v", got)
	}
	if r.s.Refused() > 0 || r.s.Kicked() > 0 {
		t.Errorf("%d lines were refused, %d kicks", r.s.Refused(), r.s.Kicked())
	}
}

// Reasons are told, without the password.
func TestRefusals(t *testing.T) {
	for want, change := range map[string]func(*realmtest.Server, *Account){
		"wrong password for account Bot": func(s *realmtest.Server, _ *Account) { s.Register("bot", "other") },
		"does not let account":           func(*realmtest.Server, *Account) {},
		"version refused": func(s *realmtest.Server, _ *Account) {
			s.Register("bot", password)
			s.Versions(0x1B)
		},
		"2 to 15 letters": func(_ *realmtest.Server, a *Account) { a.Session.Account, a.Session.Create = "B", true },
		"connection refused": func(s *realmtest.Server, _ *Account) {
			s.Down()
		},
	} {
		t.Run(want, func(t *testing.T) {
			s := realmtest.Start(t)
			r := newRig(t, s, func(a *Account) { change(s, a) })
			testkit.Eventually(t, want, func() bool { return strings.Contains(r.log.String(), want) })
		})
	}
}

// Accounts of one realm share its lobbies.
func TestSeveralAccounts(t *testing.T) {
	s := realmtest.Start(t)
	v, _ := bncs.VersionOf(26)
	var accounts []Account
	for _, name := range []string{"Bot1", "Bot2"} {
		s.Register(name, password)
		accounts = append(accounts, Account{Realm: "Home", Address: s.Addr(), Session: session.Config{
			Account: name, Password: password, Product: w3gs.ProductTFT, Version: v, Port: 6113, Games: 1,
		}})
	}
	log := &testkit.Log{}
	r, err := Start(Options{Accounts: accounts, Log: zerolog.New(log), Heard: func(Speech) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Shutdown()
	if r.Port("home") != 6113 || r.Port("Away") != 0 {
		t.Errorf("players join at port %d, and at %d of a realm that there is not", r.Port("home"), r.Port("Away"))
	}
	for id := uint32(1); id <= 3; id++ {
		if waits := strings.Contains(log.String(), "lobby waits"); waits {
			t.Errorf("before lobby %d: %s", id, log)
		}
		if err := r.Open(advert(id, fmt.Sprint("lobby ", id))); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(log.String(), `"name":"lobby 3","message":"lobby must wait for another one to end; raise lobbies`) {
		t.Errorf("the log does not say that one waits: %s", log)
	}
	testkit.Eventually(t, "two listed", func() bool { return len(s.Games()) == 2 })
	r.Close(1)
	testkit.Eventually(t, "the third listed", func() bool { return len(s.Named("lobby 3")) == 1 })
}

// A lobby that players of the realm cannot join is not listed; one for several versions is
// listed as those of the realm see it.
func TestVersionsOfARealm(t *testing.T) {
	r := atHome(t, nil)
	modern, several := advert(1, "modern"), advert(2, "several")
	modern.Variants = []lan.Variant{{Version: 36}, {Version: 35}}
	several.Variants = []lan.Variant{{Version: 28}, {Version: 26, Checksum: 0x26262626}}
	r.open(t, modern, several)
	r.Update(1, lan.Count{Slots: 10, Open: 5})
	testkit.Eventually(t, "the lobby for 1.26", func() bool { return r.lists("several") })
	want := bncs.GameStat{Free: 9, GameID: 1<<numberShift | 2, Stat: several.Stat}
	want.Stat.Checksum = 0x26262626
	if text, err := want.Encode(); err != nil || r.s.Games()[0].Stat != text {
		t.Errorf("listed as %q, want %q, %v", r.s.Games()[0].Stat, text, err)
	}
	if got := fmt.Sprint(r.Of(36), r.Of(28), r.Version("home"), r.Version("Away")); got != "[] [Home] 1.26 1.00" {
		t.Errorf("realms of 1.36, of 1.28 and their versions: %s", got)
	}
	r.Close(1)
}

func TestTooLongForARealm(t *testing.T) {
	r := atHome(t, nil)
	ad := advert(1, "lobby")
	ad.Stat.MapPath = `Maps\Download\` + strings.Repeat("x", 60) + ".w3x"
	if err := r.Open(ad); err == nil || !strings.Contains(err.Error(), "shorten") {
		t.Errorf("got %v", err)
	}
}

// A realm that floods costs its own connection.
func TestRealmThatFloods(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		frames := bytes.Repeat(bncs.Append(nil, bncs.Empty(bncs.IDNull)), 1000)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			for err == nil {
				_, err = c.Write(frames)
			}
			c.Close()
		}
	}()
	s := realmtest.Start(t)
	r := newRig(t, s, func(a *Account) { a.Address = l.Addr().String() })
	testkit.Eventually(t, "cut", func() bool { return strings.Contains(r.log.String(), "thousands of packets per second") })
}
