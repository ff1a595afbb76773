package pages

import (
	"net/url"
	"strings"
	"testing"
)

// Root ends sessions, removes what lets people in, and makes tokens; each order is written down.
func TestAccess(t *testing.T) {
	s := newSite(t, "Ann")
	for _, c := range []struct{ fields, told, answer string }{
		{"do=add+token&name=bot&role=viewer", "web token add bot", `{"lines":["w3h_`},
		{"do=add+token&name=bot&role=viewer", "web token add bot", `"refused":"there is a token bot already`},
		{"do=add+token&name=bot&role=king", "web token add bot", `"refused":`},
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
}
