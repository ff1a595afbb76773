package site

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/host"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/storage"
	"w3host/texts"
	"w3host/web"
)

// fakeLog stands in for the game log.
type fakeLog struct {
	matches []storage.PublicMatch
	players []storage.LadderPlayer
	changes []storage.LadderChange
	hidden  []string
	maps    []storage.PublicMap
	stats   storage.MapStats
	records []storage.MapRecord
	err     error
	asked   int
}

func (l *fakeLog) PublicMatches(_ context.Context, _ storage.PublicNames, f storage.PublicFilter) ([]storage.PublicMatch, error) {
	l.asked++
	of := func(m storage.PublicMatch) bool {
		return slices.ContainsFunc(m.Seats, func(p storage.PublicSeat) bool { return p.NameKey == strings.ToLower(f.Player) && p.Realm == f.Realm })
	}
	list := slices.DeleteFunc(slices.Clone(l.matches), func(m storage.PublicMatch) bool {
		return f.Player != "" && !of(m) || f.Maps != nil && !slices.Contains(f.Maps, m.MapName) || f.Keys != nil && !slices.Contains(f.Keys, m.Key)
	})
	return list[:min(len(list), f.Limit)], l.err
}

func (l *fakeLog) PublicGame(_ context.Context, _ storage.PublicNames, key storage.GameKey) (*storage.PublicDetail, error) {
	l.asked++
	for _, m := range l.matches {
		if m.Key == key {
			at := m.LoadedAt
			return &storage.PublicDetail{
				PublicMatch: m, Lags: []storage.PublicLag{{At: at.Add(9 * time.Minute), PID: 1, Lasted: 13 * time.Second}},
				Chat: []storage.PublicLine{{At: at.Add(time.Minute), PID: 1, Text: "gl hf"}},
			}, l.err
		}
	}
	return nil, errors.Join(storage.ErrNotFound, l.err)
}

func (l *fakeLog) LadderTable(context.Context, string, int, int) ([]storage.LadderPlayer, error) {
	return l.players, l.err
}

func (l *fakeLog) LadderSeasons(context.Context, string) ([]storage.LadderSeason, error) {
	return []storage.LadderSeason{{Season: 2, Games: 7}, {Season: 1, Games: 9, Final: true}}, l.err
}

func (l *fakeLog) LadderCurve(_ context.Context, _ string, _ int, _, _ string, limit int) ([]storage.LadderPoint, error) {
	var points []storage.LadderPoint
	for i := range min(limit, 60) {
		points = append(points, storage.LadderPoint{EndedAt: time.Now().Add(time.Duration(i-60) * time.Hour), Mu: 25 + float64(i%7), Sigma: 8 - float64(i)/20, Result: "W", GameKey: l.matches[i%len(l.matches)].Key})
	}
	return points, l.err
}

func (l *fakeLog) LadderChanges(context.Context, storage.GameKey) ([]storage.LadderChange, error) {
	return l.changes, l.err
}

func (l *fakeLog) LadderOf(_ context.Context, name, realm string) ([]storage.LadderPlace, error) {
	for _, p := range l.players {
		if p.NameKey == strings.ToLower(name) && p.Realm == realm {
			return []storage.LadderPlace{{Ladder: "bridge", Season: 2, LadderPlayer: p}}, l.err
		}
	}
	return nil, l.err
}

func (l *fakeLog) PublicMaps(context.Context) ([]storage.PublicMap, error) { return l.maps, l.err }

func (l *fakeLog) MapStats(_ context.Context, sha1s []string, _, _ int) (*storage.MapStats, error) {
	if len(sha1s) == 0 || sha1s[0] != "bridge" {
		return &storage.MapStats{}, l.err
	}
	stats := l.stats
	return &stats, l.err
}

func (l *fakeLog) MapRecords(_ context.Context, sha1s []string) ([]storage.MapRecord, error) {
	if len(sha1s) == 0 || sha1s[0] != "bridge" {
		return nil, l.err
	}
	return l.records, l.err
}

func (l *fakeLog) Hidden(context.Context) ([]string, error) { return l.hidden, l.err }

// match is a match of two teams.
func match(name string, n int, outcomes ...string) storage.PublicMatch {
	began := time.Now().Add(-time.Hour).UTC()
	m := storage.PublicMatch{
		Key: storage.NewGameKey(), Name: name, Version: "1.26", MapName: name, MapPath: `Maps\Download\` + name + ".w3x", StartedAt: began, LoadedAt: began.Add(14 * time.Second),
		EndedAt: began.Add(38 * time.Minute), Ended: storage.EndFinished, Played: 37*time.Minute + 12*time.Second,
	}
	for i := range n {
		m.Seats = append(m.Seats, storage.PublicSeat{
			PID: uint8(i + 1), Name: fmt.Sprintf("%s%d", name, i+1), NameKey: strings.ToLower(fmt.Sprintf("%s%d", name, i+1)), Realm: "home", Team: i * 2 / n, Colour: i, Outcome: outcomes[i*2/n],
			Values: map[string]float64{"kills": float64(i)},
		})
	}
	return m
}

// open is a game of this host with a player of a realm and one of the LAN.
func open(id uint32, name string, stage game.Stage) Game {
	players := []game.Player{
		{PID: 1, Name: "Ann" + name, Realm: "home", Addr: netip.MustParseAddrPort("192.0.2.77:6112")},
		{PID: 2, Name: "Lan" + name, Addr: netip.MustParseAddrPort("192.0.2.78:6112")},
	}
	snap := &game.Snapshot{
		Name: name, Map: game.Map{Name: name, File: name + ".w3x", Size: 1 << 20}, Version: 26, Listed: true, Stage: stage, Since: 3 * time.Minute,
		Counts: lobby.Counts{Open: 1, Total: 3}, Waits: texts.Of("Waiting for %d more players.", 1),
	}
	for i, p := range players {
		snap.Slots = append(snap.Slots, game.SnapshotSlot{Slot: w3gs.Slot{PID: p.PID, Status: w3gs.SlotOccupied, Team: uint8(i), Colour: uint8(i)}, Name: p.Name})
	}
	snap.Slots = append(snap.Slots, game.SnapshotSlot{Slot: w3gs.Slot{Status: w3gs.SlotOpen, Team: 1}})
	return Game{Info: host.Info{ID: id, Name: name, Public: true, Players: players}, Key: storage.NewGameKey(), Snap: snap}
}

// fixture is the site with its fakes.
type fixture struct {
	*fakeLog
	t       *testing.T
	games   []Game
	ladders []Ladder
	info    Info
	mux     *http.ServeMux
	site    *Site
}

func newFixture(t *testing.T, change func(*fixture)) *fixture {
	t.Helper()
	x := &fixture{fakeLog: &fakeLog{}, t: t, mux: http.NewServeMux(), info: Info{Name: "Northpass", URL: "https://games.example.org", Address: "play.example.org", Version: "1.26", Realms: []Realm{{"home", "realm.example.org:6112"}}, Index: true}}
	x.matches = []storage.PublicMatch{match("bridge", 6, "won", "lost"), match("isles", 2, "lost", "won"), match("odd", 2, "disputed", "disputed"), match("even", 4, "drew", "drew")}
	x.ladders = []Ladder{{Name: "Harrow Bridge 3v3", Ladder: storage.Ladder{Slug: "bridge", Seasons: []storage.Season{
		{Begin: time.Now().AddDate(0, -2, 0), End: time.Now().AddDate(0, -1, 0)}, {Begin: time.Now().AddDate(0, -1, 0), End: time.Now().AddDate(0, 1, 0)},
	}}}, {Name: "Echo Isles", Ladder: storage.Ladder{Slug: "isles"}}}
	x.games = []Game{open(1, "friday", game.StageLobby), open(2, "running", game.StagePlaying)}
	for i := range 120 {
		x.players = append(x.players, storage.LadderPlayer{
			NameKey: fmt.Sprintf("player%d", i), Name: fmt.Sprintf("Player%d", i), Realm: "home", Mu: 40 - float64(i)/3, Sigma: 3, Games: 5 + i, Won: 3 + i, Lost: 2, Streak: 4 - i%9, Recent: "WLDQWWWWLL", LastGame: time.Now(),
		})
	}
	for i := range 6 {
		x.changes = append(x.changes, storage.LadderChange{Ladder: "bridge", Season: 2, NameKey: fmt.Sprintf("bridge%d", i+1), Realm: "home", MuBefore: 25 + float64(i), SigmaBefore: 5, Mu: 26, Sigma: 4.9})
	}
	x.playMaps()
	if change != nil {
		change(x)
	}
	x.site = New(Options{Log: x.fakeLog, Games: func() []Game { return x.games }, Base: "/base", Info: x.info, Ladders: func() []Ladder { return x.ladders }, Logger: zerolog.Nop(), Work: func(_ context.Context, do func()) bool { do(); return true }, Minimap: func(file string) (image.Image, error) {
		if file == "bridge.w3x" {
			return image.NewNRGBA(image.Rect(0, 0, 256, 256)), nil
		}
		return nil, errors.New("no picture")
	}, FixedPlaces: func(file string) bool { return file == "bridge.w3x" }})
	for _, r := range x.site.Routes() {
		x.mux.Handle(r.Pattern, r.Handler)
	}
	return x
}

// playMaps fills in the maps: one that is played often, and one that has been played once.
func (x *fixture) playMaps() {
	last := dayNumber(time.Now().UTC())
	x.maps = []storage.PublicMap{
		{Category: "bridge", Versions: []storage.MapVersion{{Category: "bridge", SHA1: "bridge", MapName: "bridge", Games: 4100, Whole: 3600, First: 20260302, Last: last}}},
		{Category: "isles", Versions: []storage.MapVersion{{Category: "isles", SHA1: "isles", MapName: "isles", Games: 1, Whole: 1, First: last, Last: last}}},
	}
	for i := range 9 {
		x.maps[0].Versions = append(x.maps[0].Versions, storage.MapVersion{Category: "bridge", SHA1: fmt.Sprint("old", i), MapName: fmt.Sprint("bridge v", i), Games: 9 + i, First: 20250101, Last: 20260101 - i})
	}
	x.stats = storage.MapStats{Teams: []storage.MapCount{{Number: 0, Games: 4182, Won: 2020}, {Number: 1, Games: 4182, Won: 2162}}}
	for i := range 6 {
		x.stats.Places = append(x.stats.Places, storage.MapCount{Number: i, Games: 4100 + i, Won: 2000 + 30*i})
	}
	for i := range 90 {
		x.stats.Minutes = append(x.stats.Minutes, storage.MapCount{Number: i, Games: 1 + i*(90-i)/20})
	}
	for i := range 150 {
		x.stats.Days = append(x.stats.Days, storage.MapCount{Number: dayNumber(time.Now().UTC().AddDate(0, 0, i-149)), Games: 1 + i/9})
	}
	x.stats.Heroes = []storage.MapHero{{Hero: "Tidecaller", Games: 1874, Won: 1027}, {Hero: "Bog Shaman", Games: 29, Won: 29}}
	for _, name := range []string{"fastest", "kills", "unheard", "longest"} {
		x.records = append(x.records, storage.MapRecord{Name: name, GameKey: x.matches[0].Key, PID: 3, Number: 31})
	}
	x.records[0].PID, x.records[0].Number, x.records[3].PID, x.records[3].Number = 0, -700_000, 0, 4_971_000
}

// get asks from outside, each time from another address.
func (x *fixture) get(path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	x.asked++
	addr := netip.AddrFrom4([4]byte{10, byte(x.asked >> 16), byte(x.asked >> 8), byte(x.asked)})
	x.mux.ServeHTTP(w, r.WithContext(web.WithCaller(r.Context(), web.Principal{Outside: true, Addr: addr})))
	return w
}

// paths are all pages and feeds.
func (x *fixture) paths() (list []string) {
	for _, zh := range []string{"", "/zh"} {
		list = append(list, zh+"/", zh+"/matches", zh+"/matches?player=bridge1@home", zh+"/ladder/bridge", zh+"/ladder/bridge/1", zh+"/ladder/bridge?from=51", zh+"/ladder/bridge?find=player77", zh+"/ladder/isles",
			zh+"/maps", zh+"/map/bridge", zh+"/map/isles", zh+"/matches?map=bridge", zh+"/player/Player3@home", zh+"/player/Player3@home/bridge", zh+"/player/bridge1@home")
		for _, m := range x.matches {
			list = append(list, zh+"/match/"+m.Key.String())
		}
		for _, g := range x.games {
			list = append(list, zh+"/match/"+g.Key.String())
		}
	}
	return append(list, "/matches.atom", "/allgames", "/gamelist", "/robots.txt")
}

// Every page is there in both languages, for everybody the same, and may be kept for five minutes at most.
func TestEveryPage(t *testing.T) {
	x := newFixture(t, nil)
	for _, path := range x.paths() {
		w := x.get(path)
		body := w.Body.String()
		if w.Code != http.StatusOK || strings.Contains(body, "<no value>") || strings.Contains(body, "ZgotmplZ") || strings.Contains(body, "<script") || strings.Contains(body, "style=") {
			t.Errorf("%s: %d %.2000s", path, w.Code, body)
		}
		for header, never := range map[string]string{"Set-Cookie": "", "Cache-Control": "immutable"} {
			if got := w.Header().Get(header); got != "" && (never == "" || strings.Contains(got, never)) {
				t.Errorf("%s: %s: %s", path, header, got)
			}
		}
		if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script") {
			t.Errorf("%s: %s", path, policy)
		}
		again := x.get(path, "If-None-Match", w.Header().Get("ETag"), "Cookie", "lang=zh; theme=dark")
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s again: %d %q", path, again.Code, again.Header())
		}
	}
	for path, want := range map[string]int{
		"/match/nonsense": 404, "/match/0190163d-8694-739b-aea5-966c26f8ad91": 404, "/matches?before=x": 404, "/ladder/none": 404, "/ladder/bridge/3": 404, "/ladder/bridge/0": 404, "/ladder/bridge/01": 404, "/ladder/bridge?from=-5": 200, "/ladder/bridge?from=99999999": 200, "/ladder/bridge?find=nobody": 200,
		"/player/Player3@home/isles": 404, "/ladder": 303, "/player?q=Player3": 303, "/player?q=": 303, "/style/other.css": 404,
		"/style/" + styleName(): 200, "/picture/small/bridge.w3x.png": 200, "/picture/large/other.w3x.png": 404, "/picture/huge/bridge.w3x.png": 404, "/picture/small/..%2Fx.png": 404,
	} {
		if w := x.get(path); w.Code != want {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// The page of a key is a lobby, then a match, then its result.
func TestOneURL(t *testing.T) {
	x := newFixture(t, nil)
	for key, want := range map[storage.GameKey][]string{
		x.games[0].Key:   {"Open lobby: 2 of 3 players", "friday: 2 of 3 at", "Annfriday"},
		x.games[1].Key:   {"Being played", "Annrunning"},
		x.matches[0].Key: {"Team 1 won", "Team 1 won in 37:12", "bridge4", "gl hf", "lag screen, 13 s: bridge1", `property="og:image" content="https://games.example.org/base/picture/large/bridge.w3x.png"`},
		x.matches[1].Key: {"isles2 beat isles1"},
		x.matches[2].Key: {"Disputed", "This match counts for nobody."},
		x.matches[3].Key: {"Draw"},
	} {
		page := x.get("/match/" + key.String()).Body.String()
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%v lacks %q: %s", key, text, page)
			}
		}
	}
	if page := x.get("/zh/match/" + x.matches[1].Key.String()).Body.String(); !strings.Contains(page, "isles2 战胜 isles1") || !strings.Contains(page, `lang="zh-Hans"`) {
		t.Errorf("in Chinese: %s", page)
	}
}

// No page has an address, the name of a hidden player, one of the LAN, or anything of a private game.
func TestNothingPrivate(t *testing.T) {
	x := newFixture(t, func(x *fixture) {
		private := open(3, "secretgame", game.StageLobby)
		private.Public = false
		unlisted := open(4, "secretlist", game.StagePlaying)
		unlisted.Snap.Listed = false
		numbers := open(5, "numbers", game.StagePlaying)
		numbers.Snap.Anonymous, numbers.Snap.Waits = true, texts.Of("Waits for the owner, Annnumbers.")
		x.games[0].Snap.Name = "annfriday and lanfriday play"
		x.games = append(x.games, private, unlisted, numbers)
		x.hidden = []string{"annfriday"}
	})
	for _, path := range x.paths() {
		body := strings.ToLower(x.get(path).Body.String())
		for _, secret := range []string{"192.0.2.", "annfriday", "lanfriday", "lanrunning", "annnumbers", "secret"} {
			if strings.Contains(body, secret) && !strings.Contains(path, secret) {
				t.Errorf("%s has %q: %s", path, secret, body)
			}
		}
	}
	for i, want := range []int{200, 200, 404, 404, 200} {
		if w := x.get("/match/" + x.games[i].Key.String()); w.Code != want {
			t.Errorf("game %d: %d", i, w.Code)
		}
	}
	x.info.LAN = true
	x.site.Describe(x.info)
	if page := x.get("/").Body.String(); !strings.Contains(page, "Lanfriday") || strings.Contains(page, "Annfriday") {
		t.Errorf("with names of the LAN: %s", page)
	}
}

// Pages are made once for all who ask, and again when their time is over or somebody is hidden.
func TestCopies(t *testing.T) {
	x, now := newFixture(t, nil), time.Now()
	x.site.pages.now = func() time.Time { return now }
	count := func(path string) int {
		before := x.asked
		if w := x.get(path); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		return x.asked - before - 1 // the other is the request itself
	}
	if n, again := count("/matches"), count("/matches?utm=x"); n != 1 || again != 0 {
		t.Errorf("asked %d and %d times", n, again)
	}
	now = now.Add(pageFor + time.Second)
	if n := count("/matches"); n != 1 {
		t.Errorf("after its time: asked %d times", n)
	}
	x.hidden = []string{"somebody"}
	now = now.Add(hiddenFor + time.Second)
	count("/") // notices
	if n := count("/matches"); n != 1 {
		t.Errorf("after a change of who is hidden: asked %d times", n)
	}
	x.err = storage.ErrUnavailable
	now = now.Add(pageFor + time.Second)
	if w := x.get("/matches"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "As of ") || strings.Contains(w.Header().Get("Cache-Control"), "60") {
		t.Errorf("without the database: %d %v", w.Code, w.Header())
	}
	if w := x.get("/"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "friday") || !strings.Contains(w.Body.String(), "The game log does not answer") {
		t.Errorf("lobbies without the database: %d %s", w.Code, w.Body)
	}
	if w := x.get("/match/" + x.matches[3].Key.String()); w.Code != http.StatusServiceUnavailable && w.Code != http.StatusNotFound {
		t.Errorf("a match that was not kept: %d", w.Code)
	}
	now = now.Add(3 * time.Minute)
	if w := x.get("/matches"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("without the database, after the time in which a forgotten name may still be shown: %d", w.Code)
	}
}

// The copies that are kept are bounded, whatever is asked for, and so is how often an address has pages made.
func TestBounds(t *testing.T) {
	x := newFixture(t, nil)
	for range 50 {
		x.get("/match/" + storage.NewGameKey().String())
		x.get("/matches?before=" + storage.NewGameKey().String())
		x.get("/matches?before=" + strings.Repeat("x", 5000))
	}
	if n := len(x.site.pages.copies); n > 60 {
		t.Errorf("%d copies", n)
	}
	c := cache{now: time.Now}
	for i := range mostCopies + 10 {
		_, _ = c.get(t.Context(), fmt.Sprint(i), func(context.Context) (*made, error) {
			return &made{status: 200, body: make([]byte, 20_000), at: time.Now(), keep: time.Hour}, nil
		})
	}
	if len(c.copies) > mostCopies || c.bytes > mostKept || len(c.making) > 0 {
		t.Errorf("%d copies, %d bytes, %d being made", len(c.copies), c.bytes, len(c.making))
	}
	refused := 0
	for range 40 {
		r := httptest.NewRequest(http.MethodGet, "/match/"+storage.NewGameKey().String(), nil)
		w := httptest.NewRecorder()
		x.mux.ServeHTTP(w, r.WithContext(web.WithCaller(r.Context(), web.Principal{Outside: true, Addr: netip.MustParseAddr("192.0.2.1")})))
		if w.Code == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused < 15 {
		t.Errorf("%d of 40 refused", refused)
	}
}

// The feeds are what their readers expect.
func TestFeeds(t *testing.T) {
	x := newFixture(t, nil)
	var feed atomFeed
	if err := xml.Unmarshal(x.get("/matches.atom").Body.Bytes(), &feed); err != nil || len(feed.Entries) != 4 || feed.ID == "" || feed.Updated < "2020" {
		t.Errorf("%v %+v", err, feed)
	}
	for i, e := range feed.Entries {
		if want := "https://games.example.org/base/match/" + x.matches[i].Key.String(); e.Link.Href != want || e.ID != "urn:uuid:"+x.matches[i].Key.String() || e.Title == "" {
			t.Errorf("%+v", e)
		}
	}
	var ent []map[string]any
	if err := json.Unmarshal(x.get("/allgames").Body.Bytes(), &ent); err != nil || len(ent) != 1 || ent[0]["name"] != "friday" || ent[0]["slots_taken"] != 2.0 || ent[0]["slots_total"] != 3.0 || ent[0]["uptime"] != "0:03" {
		t.Errorf("%v %v", err, ent)
	}
	var stats struct {
		Status string
		Code   int
		Body   []map[string]any
	}
	if err := json.Unmarshal(x.get("/gamelist").Body.Bytes(), &stats); err != nil || stats.Code != 200 || len(stats.Body) != 1 || stats.Body[0]["slotsTotal"] != 3.0 {
		t.Errorf("%v %+v", err, stats)
	}
}

// A browser that reads Chinese gets the Chinese page, unless it comes from a page of the site.
func TestChinese(t *testing.T) {
	x := newFixture(t, nil)
	if w := x.get("/", "Accept-Language", "zh-CN,en;q=0.5"); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/base/zh/" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	for _, header := range [][]string{{"Accept-Language", "en"}, {"Accept-Language", "zh", "Referer", "http://example.com/zh/"}} {
		if w := x.get("/", header...); w.Code != http.StatusOK {
			t.Errorf("%v: %d", header, w.Code)
		}
	}
}

// A new description shows at once, also on pages that were cached.
func TestDescribe(t *testing.T) {
	x := newFixture(t, nil)
	if page := x.get("/matches").Body.String(); !strings.Contains(page, "Northpass") {
		t.Fatalf("no name: %s", page)
	}
	x.info.Name, x.info.Index = "Southgate", false
	x.site.Describe(x.info)
	for _, path := range []string{"/matches", "/zh/matches", "/robots.txt"} {
		if page := x.get(path).Body.String(); strings.Contains(page, "Northpass") || path != "/robots.txt" && !strings.Contains(page, "noindex") || path == "/robots.txt" && !strings.Contains(page, "Disallow: /") {
			t.Errorf("%s: %s", path, page)
		}
	}
}
