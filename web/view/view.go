package view

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"w3host/game"
)

const (
	// lobbyEvery and gameEvery are how often a snapshot is wanted of a lobby and of a running
	// game, of which nothing is told meanwhile: pings, downloads.
	lobbyEvery, gameEvery = time.Second, 5 * time.Second
	// leastEvery is how often at most, however much happens.
	leastEvery = time.Second
	// answerWithin is how long a snapshot is waited for before it is asked for again.
	answerWithin = 5 * time.Second
	// asksAtOnce bounds the snapshots that are asked for at the same time: each takes some
	// microseconds of the loop.
	asksAtOnce = 8
	// idleAfter is how long a page is kept up to date that nobody has opened or watched.
	idleAfter = 30 * time.Second
)

// View is all that pages show of the lobbies and games. It belongs to one goroutine.
type View struct {
	now    time.Duration // since 1970
	seen   uint64        // number of the last event
	games  map[uint32]*watched
	pages  map[Topic]*page
	host   Host
	fleet  *Fleet // nil: this host is alone
	losses uint64
}

// Host is the state of the host that pages show besides games.
type Host struct {
	MaxGames       int // 0: no limit
	RecordsWaiting int
	DatabaseUp     bool
}

// page is the page that the watchers of a topic have.
type page struct {
	values Values
	wanted time.Duration // when it was opened last, or watched
	made   time.Duration // when the values were
	of     int           // which version of the game they show
}

// New makes a view of a host without games.
func New() *View { return &View{games: make(map[uint32]*watched), pages: make(map[Topic]*page)} }

// SetHost takes the state of the host.
func (v *View) SetHost(h Host) { v.host = h }

// Lost is how many events were lost.
func (v *View) Lost() uint64 { return v.losses }

// Fact takes an event. After a gap in the numbers a snapshot is wanted of every game.
func (v *View) Fact(e *Event) {
	v.now = max(v.now, e.At)
	v.Through(e.N - 1)
	v.seen = max(v.seen, e.N)
	v.game(e.Game).fact(e)
}

// Through says that the number of the last event was n.
func (v *View) Through(n uint64) {
	if n <= v.seen {
		return
	}
	v.losses += n - v.seen
	v.seen = n
	for _, g := range v.games {
		g.dirty = true
	}
}

// Meet names the games that there are; snapshots are wanted of those that are not known.
func (v *View) Meet(ids []uint32) {
	for _, id := range ids {
		v.game(id)
	}
}

func (v *View) game(id uint32) *watched {
	g := v.games[id]
	if g == nil {
		g = &watched{id: id, dirty: true}
		v.games[id] = g
	}
	return g
}

// Asks names the games of which a snapshot is wanted now.
func (v *View) Asks(now time.Duration) (ids []uint32) {
	v.now = max(v.now, now)
	under := 0
	for _, g := range v.games {
		if g.asked(v.now) {
			under++
		}
	}
	for _, g := range v.sorted(func(a, b *watched) int { return cmp.Compare(a.snapAt, b.snapAt) }) {
		if under == asksAtOnce {
			break
		}
		if g.wants(v.now) {
			g.askedAt, g.dirty = v.now, false
			ids = append(ids, g.id)
			under++
		}
	}
	return ids
}

// Seen is how a game stood when it was looked at last, and how late the turns of the last
// second were; nil: it has not been looked at, or is not there.
func (v *View) Seen(id uint32) (s *game.Snapshot, late Lateness) {
	g := v.games[id]
	if g == nil || g.ended > 0 {
		return nil, late
	}
	return g.snap, g.late.newest()
}

// Snapshot takes how a game stands; nil: there is no such game any more.
func (v *View) Snapshot(now time.Duration, id uint32, s *game.Snapshot) {
	v.now = max(v.now, now)
	switch g := v.games[id]; {
	case g == nil:
	case s != nil:
		g.snapshot(v.now, s)
	case g.ended == 0 && g.snap != nil: // that it has ended was lost, or it crashed
		g.ended, g.askedAt = v.now, 0
		g.version++
	default:
		delete(v.games, id)
	}
}

// Open returns the values for a page that is opened now: those of the pages that watch it
// already, so that the patches that follow fit.
func (v *View) Open(now time.Duration, t Topic) (_ Values, ok bool) {
	v.now = max(v.now, now)
	if t.Page == GamePage {
		if g := v.games[t.Game]; g == nil || g.snap == nil {
			return Values{}, false
		}
	}
	p := v.pages[t]
	if p == nil {
		p = &page{}
		v.rebuild(t, p)
		v.pages[t] = p
	}
	p.wanted = v.now
	return p.values, true
}

// Patch holds the changes for the watchers of a topic.
type Patch struct {
	Topic Topic
	Ops   []Op
}

// Patches brings all pages up to date. Pages that nobody watches any more are forgotten.
func (v *View) Patches(now time.Duration, watched func(Topic) bool, forget func(Topic)) (patches []Patch) {
	v.now = max(v.now, now)
	for t, p := range v.pages {
		switch {
		case watched(t):
			p.wanted = v.now
		case v.now > p.wanted+idleAfter:
			delete(v.pages, t)
			forget(t)
			continue
		}
		if !v.stale(t, p) {
			continue
		}
		was := p.values
		v.rebuild(t, p)
		if ops := diff(was, p.values); len(ops) > 0 {
			patches = append(patches, Patch{t, ops})
		}
	}
	slices.SortFunc(patches, func(a, b Patch) int { return cmp.Compare(a.Topic.String(), b.Topic.String()) })
	return patches
}

// Second closes a second of the values shown over time.
func (v *View) Second() {
	for _, g := range v.games {
		g.second()
	}
}

// sorted lists the games, by their number where the order leaves it open.
func (v *View) sorted(order func(a, b *watched) int) []*watched {
	return slices.SortedFunc(maps.Values(v.games), func(a, b *watched) int { return cmp.Or(order(a, b), cmp.Compare(a.id, b.id)) })
}

// stale reports whether a page may show something else now. Pages of all games show a
// second's changes at once; the page of a game that is gone stays as it was.
func (v *View) stale(t Topic, p *page) bool {
	if t.Page == GamePage {
		g := v.games[t.Game]
		return g != nil && g.version != p.of
	}
	return v.now >= p.made+leastEvery
}

func (v *View) rebuild(t Topic, p *page) {
	p.values, p.made = Values{keys: make([]string, 0, len(p.values.keys)), at: make(map[string]Value, len(p.values.keys))}, v.now
	w := words{t.Language}
	switch t.Page {
	case GamesPage, PublicPage:
		v.buildGames(&p.values, w, t.Page == GamesPage)
	case GamePage:
		g := v.games[t.Game]
		g.build(&p.values, w, t.Reader)
		p.of = g.version
	}
}
