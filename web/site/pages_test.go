package site

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
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
			x.maps[0].Versions[0].MapName, x.maps[1].Category, x.stats.Heroes[0].Hero = name, name, name
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
	for _, path := range []string{"/", "/zh/", "/matches", "/ladder/bridge", "/player/Player3@home", "/maps", "/map/bridge", "/match/" + x.matches[0].Key.String()} {
		n := weight(path)
		t.Logf("%s: %.1f KB", path, float64(n)/1024)
		if n > most {
			t.Errorf("%s has %d bytes", path, n)
		}
	}
	first := weight("/")
	css := weight("/style/" + styleName())
	t.Logf("stylesheet: %.1f KB", float64(css)/1024)
	if css > 8<<10 {
		t.Errorf("the stylesheet has %d bytes", css)
	}
	icon, err := os.Stat("../pages/static/icon.svg")
	if err != nil {
		t.Fatal(err)
	}
	first += css + int(icon.Size())
	for n := range 3 { // real minimaps have 256 by 256 pixels of a landscape
		x.site.opts.Minimap = func(string) (image.Image, error) { return landscape(n), nil }
		first += x.get(fmt.Sprintf("/picture/small/map%d.w3x.png", n)).Body.Len()
	}
	t.Logf("first visit with three minimaps: %.1f KB", float64(first)/1024)
	if first > 60<<10 {
		t.Errorf("a first visit loads %d bytes", first)
	}
}

// landscape returns a picture that compresses as badly as a minimap: hills with noise in every pixel.
func landscape(n int) image.Image {
	m, rnd := image.NewNRGBA(image.Rect(0, 0, 256, 256)), rand.New(rand.NewPCG(uint64(n), 51))
	for y := range 256 {
		for x := range 256 {
			hill := 90 + 60*math.Sin(float64(x*(n+2))/40)*math.Cos(float64(y*(n+1))/30)
			grain := func(c float64) uint8 { return uint8(min(max(c*hill/90+float64(rnd.IntN(24)), 0), 255)) }
			m.SetNRGBA(x, y, color.NRGBA{grain(60), grain(80), grain(40), 255})
		}
	}
	return m
}

// A map has its games, who wins with intervals, lengths, records, heroes and versions; shares by place only where places are
// fixed, and none of few games. Its names link to its page.
func TestMaps(t *testing.T) {
	x := newFixture(t, func(x *fixture) { x.ladders[0].Maps = []string{"bridge"} })
	for path, want := range map[string][]string{
		"/maps": {"/base/map/bridge", "4,217", "/base/map/isles"},
		"/map/bridge": {
			"4,217", "48.3 %", "46.8–49.8", "uneven", "Place 6", "Median length", "45 min", "85 %", "Games a week: ", "31</b>", "bridge3</bdi>", "1:22:51", "and 5 others", "11:40", "and 2 others",
			"Tidecaller", "54.8 %", "Player0", "Latest matches", "/base/matches?map=bridge", "bridge v0", "older", "/base/ladder/bridge", `content="https://games.example.org/base/picture/large/bridge.w3x.png"`,
		},
		"/zh/map/bridge":      {"48.3 %", "最多击杀", "/base/zh/match/"},
		"/map/isles":          {"isles2 beat", "1</b>"},
		"/matches?map=bridge": {`<a href="/base/map/bridge">`, "Team 1 won"},
		"/matches":            {`<a href="/base/map/bridge">`, `<a href="/base/map/isles">`},
	} {
		page := x.get(path).Body.String()
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s lacks %q: %s", path, text, page)
			}
		}
	}
	for path, not := range map[string][]string{
		"/map/bridge": {"unheard", "29 %", "100.0 %"}, "/map/isles": {"Who wins", "Place 1", "Records"}, "/matches?map=bridge": {"isles"},
	} {
		page := x.get(path).Body.String()
		for _, text := range not {
			if strings.Contains(page, text) {
				t.Errorf("%s has %q: %s", path, text, page)
			}
		}
	}
	for _, path := range []string{"/map/nothing", "/matches?map=nothing", "/zh/map/nothing"} {
		if w := x.get(path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	x.hidden = []string{"bridge3", "tidecaller"}
	x.site.hideAt = time.Time{}
	x.get("/player/bridge3@home") // notices
	if page := x.get("/map/bridge").Body.String(); strings.Contains(page, "Tidecaller") {
		t.Errorf("a hidden player is shown as a hero: %s", page)
	}
}

// Maps whose names have the same letters have addresses of their own.
func TestMapAddresses(t *testing.T) {
	var all []storage.PublicMap
	for _, category := range []string{"harrow bridge", "harrow-bridge", "灯塔 防守", "!!!", "???"} {
		all = append(all, storage.PublicMap{Category: category})
	}
	var got []string
	for _, m := range addressed(all) {
		got = append(got, m.Slug)
	}
	if want := []string{"harrow-bridge", "harrow-bridge-2", "灯塔-防守", "1", "2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWilson(t *testing.T) {
	if low, high := wilson(2020, 4182); math.Abs(low-0.468) > 0.001 || math.Abs(high-0.498) > 0.001 {
		t.Errorf("%.4f to %.4f", low, high)
	}
	if low, high := wilson(0, 30); low < 0 || high < 0.1 || high > 0.13 {
		t.Errorf("%.4f to %.4f", low, high)
	}
}
