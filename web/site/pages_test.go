package site

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"w3host/game"
	"w3host/internal/testkit"
	"w3host/storage"
)

// A ladder has its places, a page for the rest, and finds a player without changing places; a match tells what it changed.
func TestLadder(t *testing.T) {
	x := newFixture(t, nil)
	for path, want := range map[string][]string{
		"/ladder/bridge":                      {"Player0", ">1<", "from=51", "1–50 / 120", "Season 2", "/base/ladder/bridge/1", ">new<"},
		"/ladder/bridge?from=51":              {">51<", "Player50", "from=101", `from=1"`},
		"/ladder/bridge?find=PLAYER77":        {`class="chosen"`, ">78<"},
		"/ladder/bridge?find=nobody":          {"Nobody of that name"},
		"/ladder/bridge/1":                    {"Season 1 is over.", "won it with"},
		"/player/Player3@home":                {"Player3", "of 120", "Last ten", "likely", `class="curve"`, "Place"},
		"/player/bridge1@home":                {"bridge4", "1–0", "/base/matches?player=bridge1%40home"},
		"/match/" + x.matches[0].Key.String(): {"/base/player/bridge1@home", "odds before the game", "/base/ladder/bridge", "±"},
		"/":                                   {"The whole ladder", "Player4"},
	} {
		page := x.get(path).Body.String()
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s lacks %q: %s", path, text, page)
			}
		}
	}
	x.hidden = []string{"player0"}
	x.site.hideAt = time.Time{}
	x.get("/player/Player0@home") // notices
	if page := x.get("/ladder/bridge").Body.String(); strings.Contains(page, "Player0<") || !strings.Contains(page, "119") {
		t.Errorf("a hidden player has a place: %s", page)
	}
	unknown, hidden := x.get("/player/Nobody@home"), x.get("/player/Player0@home")
	if unknown.Code != http.StatusNotFound || hidden.Code != http.StatusNotFound || !bytes.Equal(unknown.Body.Bytes(), hidden.Body.Bytes()) {
		t.Errorf("the page of a hidden player differs from that of nobody: %s", hidden.Body)
	}
}

// Whatever somebody is called stays a text.
func TestHostileNames(t *testing.T) {
	names := []string{".", "..", "@", "a@b@c"}
	for few := range slices.Chunk(testkit.Hostile(), 8) {
		names = append(names, strings.Join(few, " "))
	}
	for _, name := range names {
		x := newFixture(t, func(x *fixture) {
			x.info.Name = name
			x.info.LAN = true
			x.players = []storage.LadderPlayer{{Name: name, NameKey: strings.ToLower(name), Realm: name, Mu: 25, Sigma: 8, Games: 1, LastGame: time.Now()}}
			x.ladders[0].Name = name
			x.matches = []storage.PublicMatch{match(name, 4, "won", "lost")}
			x.games = []Game{open(1, name, game.StageLobby), open(2, name, game.StagePlaying)}
		})
		for _, path := range x.paths() {
			w := x.get(path)
			if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
				continue
			}
			root, err := html.Parse(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			for n := range root.Descendants() {
				if n.Type == html.ElementNode && n.Data == "evil" || n.Type == html.CommentNode {
					t.Errorf("%s: %q has made %q", path, name, n.Data)
				}
				for _, a := range n.Attr {
					own := strings.HasPrefix(a.Val, "/base/") || strings.HasPrefix(a.Val, "#") || strings.HasPrefix(a.Val, "?")
					if a.Key == "data-evil" || strings.HasPrefix(a.Key, "on") || a.Key == "style" || (a.Key == "href" || a.Key == "src") && !own {
						t.Errorf("%s: %q has made the attribute %s=%q", path, name, a.Key, a.Val)
					}
				}
			}
		}
	}
}

// A page has at most 12 KB, the stylesheet 8 KB, and a first visit 60 KB with the pictures of three lobbies.
func TestWeights(t *testing.T) {
	const most = 12 << 10
	x := newFixture(t, func(x *fixture) {
		for i := range uint32(9) {
			x.games = append(x.games, open(10+i, fmt.Sprintf("Harrow Bridge 3v3 #%d", i), game.Stage(i%2*uint32(game.StagePlaying))))
		}
		x.matches = nil
		for i := range 60 {
			x.matches = append(x.matches, match(fmt.Sprintf("Harrow Bridge v2.%d", i), 12, "won", "lost"))
		}
	})
	weight := func(path string) int {
		w := x.get(path, "Accept-Encoding", "gzip")
		z, err := gzip.NewReader(bytes.NewReader(w.Body.Bytes()))
		if w.Code != http.StatusOK || err != nil {
			t.Fatalf("%s: %d %v", path, w.Code, err)
		}
		if _, err := io.Copy(io.Discard, z); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return w.Body.Len()
	}
	for _, path := range []string{"/", "/zh/", "/matches", "/ladder/bridge", "/player/Player3@home", "/match/" + x.matches[0].Key.String()} {
		n := weight(path)
		t.Logf("%s: %.1f KB", path, float64(n)/1024)
		if n > most {
			t.Errorf("%s has %d bytes", path, n)
		}
	}
	css := weight("/style/" + styleName())
	t.Logf("stylesheet: %.1f KB", float64(css)/1024)
	if css > 8<<10 {
		t.Errorf("the stylesheet has %d bytes", css)
	}
}
