package pages

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"w3host/web/access"
)

// TestGamesThatStay: what an upgrade has left to the process before is listed, and ended there.
func TestGamesThatStay(t *testing.T) {
	if page := newSite(t, "Ann").get("/system").Body.String(); !strings.Contains(page, "#7 &#34;Ann&#34;") || !strings.Contains(page, `value="unhost 7"`) {
		t.Error(page)
	}
}

// Root ends sessions, removes what lets people in, and makes tokens; each order is written down.
func TestAccess(t *testing.T) {
	s := newSite(t, "Ann")
	for _, c := range []struct{ fields, told, answer string }{
		{"do=add+token&name=bot&role=viewer", "web token add bot", `{"lines":["w3h_`},
		{"do=add+token&name=bot&role=viewer", "web token add bot", `"refused":"there is a token bot already`},
		{"do=add+token&name=bot&role=king", "web token add bot", `"refused":`},
		{"do=add+account&name=Rook&role=admin&password=", "web account add Rook", `"refused":"no account Rook`},
		{"do=add+account&name=Rook&role=king&password=secretive", "web account add Rook", `"refused":`},
		{"do=add+account&name=Rook&role=admin&password=secretive", "web account add Rook", `{"lines":["Rook can log in, with the role admin."]}`},
		{"do=add+account&name=Rook&role=viewer&password=", "web account add Rook", `{"lines":["Rook can log in, with the role viewer."]}`},
		{"do=remove+account&name=Rook", "web account remove Rook", `{"lines":["Rook cannot log in any more."]}`},
		{"do=remove+token&name=bot", "web token remove bot", `{"lines":["The token bot is worth nothing any more."]}`},
		{"do=logout&name=Rook", "web logout Rook", `"refused":"Rook is not logged in`},
		{"do=remove+account&name=Rook", "web account remove Rook", `"refused":"no account Rook`},
		{"do=harm&name=Rook", "", "there is no such order"},
	} {
		s.line.Command = ""
		fields, _ := url.ParseQuery(c.fields)
		if w := s.post("/access", fields, "application/json"); s.line.Command != c.told || !strings.Contains(w.Body.String(), c.answer) {
			t.Errorf("%s: told %q, answered %s", c.fields, s.line.Command, w.Body)
		}
	}

	// And each order does what it says.
	now := time.Now()
	if err := s.keys.SetAccount("Bob", access.Viewer, "a long password", now); err != nil {
		t.Fatal(err)
	}
	id, err := s.keys.NewSession(access.Identity{Name: "Bob", Role: access.Viewer}, now)
	if err != nil {
		t.Fatal(err)
	}
	order := func(fields string) string {
		form, _ := url.ParseQuery(fields)
		return s.post("/access", form, "application/json").Body.String()
	}
	var made struct{ Lines []string }
	if err := json.Unmarshal([]byte(order("do=add+token&name=bot&role=viewer")), &made); err != nil || len(made.Lines) != 1 {
		t.Fatalf("a token: %v, %v", err, made)
	}
	from := netip.MustParseAddr("192.0.2.1")
	for _, c := range []struct {
		fields string
		lives  func() bool
	}{
		{"do=logout&name=Bob", func() bool { _, ok := s.keys.Session(id, now); return ok }},
		{"do=remove+account&name=Bob", func() bool { all, _ := s.keys.Accounts(); return len(all) > 0 }},
		{"do=remove+token&name=bot", func() bool { _, ok := s.keys.Token(made.Lines[0], from, now); return ok }},
	} {
		if before, answer, after := c.lives(), order(c.fields), c.lives(); !before || after {
			t.Errorf("%s: before %v, after %v, answered %s", c.fields, before, after, answer)
		}
	}
}
