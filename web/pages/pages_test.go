package pages

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/rs/zerolog"
	"golang.org/x/net/html"

	"w3host/control"
	"w3host/formats/catalogue"
	"w3host/formats/w3map"
	"w3host/game"
	"w3host/game/command"
	"w3host/host"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/storage"
	"w3host/texts"
	"w3host/web"
	"w3host/web/access"
	"w3host/web/hub"
	"w3host/web/live"
	"w3host/web/view"
)

// fakes stand in for the host, the log and the maps, and call everything by one name.
type fakes struct {
	name string
	err  error
	line control.Order
	by   command.Caller
}

func (f *fakes) Infos() []host.Info { return []host.Info{{ID: 1}, {ID: 2}} }

func (f *fakes) Snapshot(id uint32, use func(*game.Snapshot)) {
	s := &game.Snapshot{Name: f.name, Map: game.Map{Name: f.name, File: f.name}, Owner: f.name, Listed: true, Waits: texts.Plain(f.name)}
	slot := game.SnapshotSlot{Slot: w3gs.Slot{PID: 1, Status: w3gs.SlotOccupied}, Name: f.name, Race: texts.Plain(f.name)}
	if s.Slots = []game.SnapshotSlot{slot}; id == 2 {
		s.Stage, s.Slots[0].Lags = game.StageLagging, true
	}
	use(s)
}

func (f *fakes) game() storage.Game {
	return storage.Game{Key: storage.NewGameKey(), Name: f.name, MapName: f.name, Version: f.name, Replay: f.name, Ended: storage.EndReason(f.name)}
}

func (f *fakes) Games(context.Context, storage.GameFilter) ([]storage.Game, error) {
	return []storage.Game{f.game()}, f.err
}

func (f *fakes) Game(context.Context, storage.GameKey) (*storage.GameDetail, error) {
	return &storage.GameDetail{
		Game: f.game(), People: []storage.GamePlayer{{Name: f.name, LeftReason: f.name, Address: "192.0.2.77"}},
		Chat: []storage.ChatLine{{Name: f.name, Text: f.name}}, Lags: []storage.LagEvent{{Cause: f.name}},
	}, f.err
}

func (f *fakes) PlayerStats(context.Context, string) ([]storage.PlayerStats, error) {
	return []storage.PlayerStats{{Name: f.name, Realm: f.name, Maps: []storage.PlayedMap{{Name: f.name}}}}, f.err
}

func (f *fakes) Namesakes(context.Context, string, int) ([]string, error) {
	return []string{f.name}, f.err
}

func (f *fakes) RatingsOf(context.Context, string, string) ([]storage.Rating, error) {
	return []storage.Rating{{Name: f.name, Category: f.name}}, f.err
}

func (f *fakes) Bans(context.Context, bool) ([]storage.Ban, error) {
	return []storage.Ban{{Name: f.name, Realm: f.name, Reason: f.name, By: f.name, Network: netip.MustParsePrefix("192.0.2.0/24")}}, f.err
}

func (f *fakes) Admins(context.Context) ([]storage.Admin, error) {
	return []storage.Admin{{Name: f.name, Realm: f.name, By: f.name, Role: storage.RoleAdmin}}, f.err
}

func (f *fakes) List(string) ([]string, error) { return []string{f.name}, nil }

func (f *fakes) Files() ([]*catalogue.MapFile, error) {
	m := &w3map.Map{Info: w3map.Info{Name: f.name, Author: f.name}, Warnings: []string{f.name}}
	return []*catalogue.MapFile{{File: f.name, Map: m}, {File: f.name, Fault: errors.New(f.name)}}, f.err
}

func (f *fakes) system() System {
	return System{Version: f.name, Stay: []Staying{{ID: 7, Text: texts.Of("#%d %q", 7, f.name)}}}
}

func (f *fakes) AuditLog(context.Context, time.Time, int) ([]storage.AdminAction, time.Time, error) {
	return []storage.AdminAction{{Who: f.name, Realm: f.name, Action: f.name, On: f.name, Detail: f.name, Refused: f.name}}, time.Time{}, f.err
}

func (f *fakes) examine(_ context.Context, report func(Finding)) error {
	report(Finding{f.name, f.name, f.name})
	return f.err
}

func (f *fakes) Minimap(string) (image.Image, error) { return nil, errors.New("no picture") }

// order answers with what it was told.
func (f *fakes) order(_ context.Context, by command.Caller, o control.Order) control.Answer {
	f.by, f.line = by, o
	answer := control.Answer{Lines: []string{f.name}, Refused: f.name}
	switch o.Command {
	case "autohost":
		answer.Data = []control.Entry{{Name: f.name, Last: f.name, Next: f.name, Idle: f.name, Why: texts.Plain(f.name)}}
	case "realms":
		answer.Data = []control.Realm{{Name: f.name, SeenAt: f.name}}
	}
	return answer
}

// upload keeps what it was told, and the file.
func (f *fakes) upload(_ *http.Request, up web.Upload) (*catalogue.MapFile, bool, error) {
	text, err := io.ReadAll(up.Body)
	f.line.Command = fmt.Sprintf("%s %q %s", up.Name, up.Replace, text)
	return nil, false, cmp.Or(f.err, err)
}

func (f *fakes) fleet(context.Context) *view.Fleet {
	return &view.Fleet{
		Number: 1, Hosts: []view.FleetHost{{Number: 1, Name: f.name}, {Number: 2, Name: f.name}},
		Games: []view.FleetGame{{Host: 2, HostName: f.name, ID: 17, Name: f.name, Map: f.name, Players: []string{f.name}}},
	}
}

// site is the pages with their handlers.
type site struct {
	*fakes
	t       *testing.T
	visitor Visitor
	mux     *http.ServeMux
	keys    *access.Store
}

// workNow is an Options.Work that does not wait.
func workNow(_ context.Context, do func()) bool {
	do()
	return true
}

func newSite(t *testing.T, name string) *site {
	t.Helper()
	s := &site{fakes: &fakes{name: name}, t: t, mux: http.NewServeMux(), visitor: Visitor{Name: name, Level: command.Root}}
	l := live.New(hub.New(func(hub.Watcher) {}), live.Options{Standing: func() view.Host { return view.Host{} }, Fleet: s.fleet})
	ended := make(chan struct{})
	go func() { defer close(ended); l.Run(t.Context(), s.fakes) }()
	t.Cleanup(func() { <-ended })
	s.keys = access.Open(filepath.Join(t.TempDir(), "web.json"))
	p := New(Options{
		Live: l, Command: s.order, Log: s.fakes, Maps: s.fakes, Visitor: func(*http.Request) Visitor { return s.visitor },
		UploadMax: 1 << 20, Upload: s.upload,
		System: s.system, Base: "/base", Examine: s.examine, Access: s.keys,
		Ordered: func(_ context.Context, action, on string, do func() error) error {
			s.line = control.Order{Command: action + " " + on}
			return do()
		}, Work: workNow, Trigger: "!", Logger: zerolog.Nop(),
	})
	for _, r := range p.Routes() {
		s.mux.Handle(r.Pattern, r.Handler)
	}
	testkit.Eventually(t, "the view has met the games", func() bool {
		_, _, ok := l.Open(view.Topic{Page: view.GamePage, Game: 2})
		return ok
	})
	return s
}

func (s *site) serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.mux.ServeHTTP(w, r)
	return w
}

func (s *site) get(path string) *httptest.ResponseRecorder {
	ctx, stop := context.WithTimeout(s.t.Context(), time.Minute) // of a stream that should not have begun
	defer stop()
	return s.serve(httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil))
}

func (s *site) post(path string, fields url.Values, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", accept)
	return s.serve(r)
}

var everyPage = []string{
	"/", "/games/1", "/games/2", "/games/3", "/public", "/history", "/history/0190163d-8694-739b-aea5-966c26f8ad91", "/history/nonsense",
	"/players", "/players/Ann", "/bans", "/maps", "/system", "/checks", "/autohost", "/realms", "/audit", "/access",
}

// What anybody is called stays a text on every page.
func TestHostileNamesOnPages(t *testing.T) {
	names := testkit.Hostile()
	if len(names) < 200 {
		t.Fatalf("%d names", len(names))
	}
	var checked sync.WaitGroup
	together := []string{".", ".."} // as whole names they are parts of a path
	for few := range slices.Chunk(names, 4) {
		together = append(together, strings.Join(few, " "))
	}
	for _, name := range together { // each site waits a moment until it knows its games
		checked.Go(func() {
			s := newSite(t, name)
			for _, path := range append(everyPage, view.Profile(cmp.Or(name, "x")), "/history?player="+url.QueryEscape(name)) {
				s.check(path, s.get(path).Body.Bytes())
			}
			s.check("an answer", s.post("/commands", url.Values{"line": {"games"}}, "text/html").Body.Bytes())
		})
	}
	checked.Wait()
}

// check finds elements and attributes that no template has, and letters that nobody sees.
func (s *site) check(path string, page []byte) {
	s.t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		s.t.Fatal(err)
	}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode && n.Data == "evil" {
			s.t.Errorf("%s: %q has made an element", path, s.name)
		}
		if n.Type == html.CommentNode {
			s.t.Errorf("%s: %q has made a comment", path, s.name)
		}
		for _, a := range n.Attr {
			if a.Key == "data-evil" || strings.HasPrefix(a.Key, "on") || a.Key == "style" || (a.Key == "href" || a.Key == "src" || a.Key == "action") && !strings.HasPrefix(a.Val, "/base/") && !strings.HasPrefix(a.Val, "#") {
				s.t.Errorf("%s: %q has made the attribute %s=%q", path, s.name, a.Key, a.Val)
			}
		}
		if n.Type == html.TextNode && strings.ContainsFunc(strings.TrimSpace(n.Data), func(r rune) bool {
			return r != '\n' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r))
		}) {
			s.t.Errorf("%s: %q is not shown as it is: %q", path, s.name, n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
}

// Every page is there in both languages, and has no address for those who may see none.
func TestEveryPage(t *testing.T) {
	s := newSite(t, "Ann")
	for _, path := range everyPage {
		want := http.StatusOK
		if path == "/games/3" || path == "/history/nonsense" {
			want = http.StatusNotFound
		}
		for _, level := range []command.Level{command.Anyone, command.Owner, command.Root} {
			s.visitor.Level = level
			w := s.get(path)
			if w.Code != want {
				t.Errorf("%s: %d", path, w.Code)
			}
			if strings.Contains(w.Body.String(), "192.0.2.") && level < command.Admin && path != "/bans" { // whose route needs an admin
				t.Errorf("%s shows an address to %v", path, level)
			}
			if strings.Contains(w.Body.String(), "<no value>") || strings.Contains(w.Body.String(), "ZgotmplZ") {
				t.Errorf("%s: a value is missing or unsafe", path)
			}
		}
	}
}

// A page of all games has those of other hosts, and fields for commands to them, for those who may give some.
func TestOtherHosts(t *testing.T) {
	s := newSite(t, "Ann")
	for _, c := range []struct {
		path  string
		level command.Level
		shows []string
		hides []string
	}{
		{"/", command.Root, []string{`value="eg 2-17"`, `value="at 2"`, ">2-17<"}, nil},
		{"/", command.Owner, []string{">2-17<"}, []string{`value="eg 2-17"`, `value="at 2"`}},
		{"/public", command.Anyone, []string{"On other hosts"}, []string{"All hosts", `value="eg`}},
	} {
		s.visitor.Level = c.level
		page := s.get(c.path).Body.String()
		for _, want := range c.shows {
			if !strings.Contains(page, want) {
				t.Errorf("%s of %v lacks %q", c.path, c.level, want)
			}
		}
		for _, not := range c.hides {
			if strings.Contains(page, not) {
				t.Errorf("%s of %v has %q", c.path, c.level, not)
			}
		}
	}
}

// The database is away: the pages of games live on, the others say so.
func TestDatabaseAway(t *testing.T) {
	s := newSite(t, "Ann")
	s.err = errors.New("connection refused")
	for path, want := range map[string]int{"/": 200, "/games/1": 200, "/history": 503, "/players/Ann": 503, "/bans": 503} {
		if w := s.get(path); w.Code != want || strings.Contains(w.Body.String(), "refused") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// A button is a command of who is logged in, and a refusal the engine's sentence.
func TestButtons(t *testing.T) {
	s := newSite(t, "no slot is open")
	s.visitor = Visitor{Name: "Rook", Level: command.Owner}
	for _, c := range []struct {
		path   string
		fields string
		want   control.Order
	}{
		{"/games/7/commands", "line=kick+Ann", control.Order{Game: 7, Command: "kick Ann"}},
		{"/games/7/commands", "text=hello+all", control.Order{Game: 7, Command: "say hello all"}},
		{"/games/7/commands", "text=!start+force", control.Order{Game: 7, Command: "start force"}},
		{"/commands", "line=games", control.Order{Command: "games"}},
		{"/commands", "before=eg+2-17&line=kick+Ann", control.Order{Command: "eg 2-17 kick Ann"}},
		{"/lobbies", "map=echo+isles&name=3v3+all", control.Order{Command: `host "echo isles" 3v3 all`}},
		{"/bans", "name=Ann+B&time=7d&reason=7+feeds", control.Order{Command: `ban "Ann B" 7d "7 feeds"`}},
		{"/bans", "name=Ann%22+1s+%22x&time=7d", control.Order{Command: `ban "Ann"" 1s ""x" 7d`}},
	} {
		fields, _ := url.ParseQuery(c.fields)
		w := s.post(c.path, fields, "application/json")
		if s.line != c.want || s.by.Name != "Rook" || s.by.Level != command.Owner || s.by.Via != command.ViaWeb {
			t.Errorf("%s %s: %+v by %+v", c.path, c.fields, s.line, s.by)
		}
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"refused":"no slot is open"`) {
			t.Errorf("%s: %d %s", c.path, w.Code, w.Body)
		}
	}
	if w := s.post("/commands", url.Values{"line": {strings.Repeat("x", maxForm)}}, ""); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("too long: %d", w.Code)
	}
}

// Nobody watches what they may not.
func TestEventsNeedRights(t *testing.T) {
	s := newSite(t, "Ann")
	for _, c := range []struct {
		visitor Visitor
		topic   string
		want    int
	}{
		{Visitor{}, "games:en", 403},
		{Visitor{}, "game:1:en", 403},
		{Visitor{Name: "v"}, "game:1:en:staff", 403},
		{Visitor{Name: "m", Level: command.Owner}, "game:1:en:admin", 403},
		{Visitor{Name: "v"}, "games:en:admin", 400},
		{Visitor{Name: "v"}, "anything", 400},
		{Visitor{Name: "v"}, "game:01:en", 400},
	} {
		s.visitor = c.visitor
		if w := s.get("/events?topic=" + c.topic); w.Code != c.want {
			t.Errorf("%+v, %s: %d", c.visitor, c.topic, w.Code)
		}
	}
}

// Where a form leads back to is on this site.
func TestBack(t *testing.T) {
	s := newSite(t, "Ann")
	for from, want := range map[string]string{
		"": "/base/", "http://host/base/games/1?x": "/base/games/1", "http://host//evil.example/": "/evil.example", "javascript:evil()": "/base/",
	} {
		r := httptest.NewRequest(http.MethodPost, "/preferences", strings.NewReader("theme=dark"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Referer", from)
		w := s.serve(r)
		if got := w.Header().Get("Location"); got != want || !strings.Contains(fmt.Sprint(w.Header()["Set-Cookie"]), "theme=dark") {
			t.Errorf("from %q: to %q", from, got)
		}
	}
}

// Strangers see the pictures of maps that are open, and have no others drawn.
func TestMinimap(t *testing.T) {
	s := newSite(t, "(2)Echo Isles.w3x")
	for _, c := range []struct {
		visitor, file string
		want          int
	}{
		{"", "other.w3x", 404},
		{"", "(2)Echo Isles.w3x", 200},
		{"Rook", "other.w3x", 200},
	} {
		s.visitor.Name = c.visitor
		if w := s.get("/minimap/" + url.PathEscape(c.file)); w.Code != c.want {
			t.Errorf("%s for %q: %d", c.file, c.visitor, w.Code)
		}
	}
}

// A form brings a map; what is wrong with it is a sentence in the language of the page.
func TestUpload(t *testing.T) {
	s := newSite(t, "Ann")
	const head, end = "--x\r\nContent-Disposition: form-data; name=", "\r\n--x--\r\n"
	file := head + "\"map\"; filename=\"a b.w3x\"\r\n\r\nbytes" + end
	for _, c := range []struct {
		body, told, answer string
		err                error
	}{
		{file, `a b.w3x "" bytes`, `{"lines":["a b.w3x 已放入地图文件夹。"]}`, nil},
		{head + "\"replace\"\r\n\r\nyes\r\n" + file, `a b.w3x "*" bytes`, `"lines":["a b.w3x`, nil},
		{file, `a b.w3x "" bytes`, `"refused":"文件没有传完：请重新上传"`, texts.Of("the file did not come whole: send it again")},
		{head + "\"other\"\r\n\r\nx" + end, "", `"refused":"请先选择文件"`, nil},
		{"", "", `"refused":"无法读取表单"`, nil},
	} {
		s.line.Command, s.err = "", c.err
		r := httptest.NewRequest(http.MethodPost, "/maps", strings.NewReader(c.body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		r.Header.Set("Accept", "application/json")
		r.Header.Set("Accept-Language", "zh")
		w := s.serve(r)
		if s.line.Command != c.told || !strings.Contains(w.Body.String(), c.answer) {
			t.Errorf("told %q, answered %s", s.line.Command, w.Body)
		}
	}
}

// A path that leads nowhere is told apart for browsers and programs.
func TestUnknown(t *testing.T) {
	s := newSite(t, "Ann")
	for path, kind := range map[string]string{"/nonsense": "text/html; charset=utf-8", "/static/": "text/html; charset=utf-8", "/history/": "text/html; charset=utf-8", "/api/v1/nonsense": "application/problem+json"} {
		if w := s.get(path); w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != kind || !strings.Contains(w.Body.String(), "there is no such") {
			t.Errorf("%s: %d %s %s", path, w.Code, w.Header(), w.Body)
		}
	}
}
