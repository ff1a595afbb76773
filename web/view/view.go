package view

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"w3host/game"
)

const (
	// lobbyEvery and gameEvery are the intervals of snapshots of a lobby and of a running game without events. They
	// update values that have no events, such as pings and downloads.
	lobbyEvery, gameEvery = time.Second, 5 * time.Second
	// leastEvery is the minimum interval between snapshots of one game, and between updates of a page with a list of games.
	leastEvery = time.Second
	// answerWithin is the time after which a requested snapshot is requested again.
	answerWithin = 5 * time.Second
	// asksAtOnce limits the snapshots requested at the same time, because each takes some microseconds of the game
	// loop.
	asksAtOnce = 8
	// idleAfter is the time after which a page that nobody opens or watches is dropped.
	idleAfter = 30 * time.Second
)

// View holds everything that pages show about lobbies and games. It is not safe for concurrent use.
type View struct {
	now    time.Duration // since 1970
	seen   uint64        // number of the last event
	games  map[uint32]*watched
	pages  map[Topic]*page
	host   Host
	fleet  *Fleet // nil if this host is alone
	losses uint64
}

// Host is the state of the host that pages show in addition to its games.
type Host struct {
	MaxGames       int // 0 means no limit
	RecordsWaiting int
	DatabaseUp     bool
}

// page holds the values that all watchers of a topic currently have.
type page struct {
	values Values
	wanted time.Duration // when the page was last opened or watched
	made   time.Duration // when the values were computed
	of     int           // version of the game that the values show
}

// New returns a View without games.
func New() *View { return &View{games: make(map[uint32]*watched), pages: make(map[Topic]*page)} }

// SetHost sets the state of the host.
func (v *View) SetHost(h Host) { v.host = h }

// Lost returns the number of lost events.
func (v *View) Lost() uint64 { return v.losses }

// Fact processes an event. After a gap in the sequence numbers, Asks requests a snapshot of every game.
func (v *View) Fact(e *Event) {
	v.now = max(v.now, e.At)
	v.Through(e.N - 1)
	v.seen = max(v.seen, e.N)
	v.game(e.Game).fact(e)
}

// Through reports that events up to number n have been sent. Those that Fact has not received count as lost.
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

// Meet adds the existing games with these ids. Asks then requests snapshots of those that were unknown.
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

// Asks returns the ids of the games of which the caller should request a snapshot now and pass it to Snapshot.
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

// Seen returns the last snapshot of a game and the lateness of its turns in the last second. The snapshot is nil if there
// is none yet or the game is over.
func (v *View) Seen(id uint32) (s *game.Snapshot, late Lateness) {
	g := v.games[id]
	if g == nil || g.ended > 0 {
		return nil, late
	}
	return g.snap, g.late.newest()
}

// Snapshot processes the snapshot of a game; nil means that the game no longer exists.
func (v *View) Snapshot(now time.Duration, id uint32, s *game.Snapshot) {
	v.now = max(v.now, now)
	switch g := v.games[id]; {
	case g == nil:
	case s != nil:
		g.snapshot(v.now, s)
	case g.ended == 0 && g.snap != nil: // the Ended event was lost, or the game crashed
		g.ended, g.askedAt = v.now, 0
		g.version++
	default:
		delete(v.games, id)
	}
}

// Open returns the values for a page that is opened now, or false if the topic's game is unknown. They are the values that
// other watchers of the topic have, so that the same patches fit.
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

// Patch is a list of changes for all watchers of a topic.
type Patch struct {
	Topic Topic
	Ops   []Op
}

// Patches updates all pages and returns their changes. watched reports whether anybody watches a topic. Pages that have
// not been watched for idleAfter are dropped, and forget is called with their topics.
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

// Second must be called once a second. It adds the second's values to the charts of all games.
func (v *View) Second() {
	for _, g := range v.games {
		g.second()
	}
}

// sorted returns the games in the given order; equal games are sorted by number.
func (v *View) sorted(order func(a, b *watched) int) []*watched {
	return slices.SortedFunc(maps.Values(v.games), func(a, b *watched) int { return cmp.Or(order(a, b), cmp.Compare(a.id, b.id)) })
}

// stale reports whether the values of a page may be out of date. Lists of games are updated once a second; the page of a
// game that no longer exists is never updated.
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
