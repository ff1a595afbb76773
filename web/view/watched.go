package view

import (
	"strconv"
	"strings"
	"time"

	"w3host/game"
	"w3host/texts"
)

// Limits of the data kept of a game.
const (
	chatKept   = 100
	eventsKept = 50
	lateKept   = 300 // seconds
	pingsKept  = 60
	healthKept = 30 // of healthEvery seconds each
	// healthEvery is how many seconds one piece of a health strip stands for.
	healthEvery = 10
	// noticed is by how much the worst ping of a game must change, if not by an eighth, until lists
	// of games show it: the pings of all games change all the time.
	noticed = 5 * time.Millisecond
	// endedKept is how long a game stays on pages after its end.
	endedKept = 15 * time.Second
)

// watched is a lobby or game.
type watched struct {
	id      uint32
	snap    *game.Snapshot // nil: not known yet
	snapAt  time.Duration  // since 1970
	since   time.Duration  // when the lobby or the game began, since 1970
	playing bool           // since is that of the game
	dirty   bool
	askedAt time.Duration // 0: no snapshot is on its way
	ended   time.Duration // 0: it is not
	joined  time.Duration // when somebody joined last
	lagging time.Duration // the lag screen is up since then; 0: it is not
	desync  texts.Text

	chat, heard  tail[line] // all lines, and those that everybody may read
	events, seen tail[line] // all events, and those
	late         tail[Lateness]
	pings        tail[string]
	health       tail[byte]
	ping         time.Duration // the worst round trip, as lists show it
	worst        time.Duration // lateness in this piece of the health strip
	lagged       bool          // in it
	seconds      int
	now          Lateness // of the second that is under way
	counted      bool     // it has come
	version      int      // rises with each change
}

// line is a line of chat or of the list of events.
type line struct {
	at     time.Duration
	colour string
	who    string
	to     Audience
	text   texts.Text
}

// tail is the end of a list that only grows. Its items do not change, so that they are put into
// words once for each language.
type tail[T any] struct {
	end   int
	items []T
	made  [texts.Chinese + 1]struct {
		end   int
		items [][]string
	}
}

// last is a list with one more item, of which so many are kept. Lists that it was before stay
// as they are.
func last[T any](items []T, item T, keep int) []T {
	items = append(items, item)
	return items[max(0, len(items)-keep):]
}

func (t *tail[T]) add(item T, keep int) {
	t.items = last(t.items, item, keep)
	t.end++
}

// newest is the last item; the zero value if there is none.
func (t *tail[T]) newest() (item T) {
	if n := len(t.items); n > 0 {
		item = t.items[n-1]
	}
	return item
}

// in is the tail in a language.
func (t *tail[T]) in(w words, say func(T) []string) *Tail {
	m := &t.made[w.language]
	for m.end = max(m.end, t.end-len(t.items)); m.end < t.end; m.end++ {
		item := say(t.items[len(t.items)-(t.end-m.end)])
		for i := range item {
			item[i] = Visible(item[i])
		}
		m.items = last(m.items, item, len(t.items))
	}
	return &Tail{End: t.end, Items: m.items}
}

// fact takes a fact of the game.
func (g *watched) fact(e *Event) {
	g.version++
	if e.Kind != Turns && e.Kind != Said && e.Kind != HostSaid {
		g.dirty = true
	}
	note := func(text texts.Text) { g.note(e, text, text) }
	switch e.Kind {
	case Opened:
		g.since, g.joined = e.At, e.At
	case Joined:
		g.joined = e.At
		note(texts.Of("%s joined", e.Name))
	case Left:
		g.left(e)
	case Said:
		g.line(line{at: e.At, colour: g.colour(e.PID), who: e.Name, to: e.To, text: texts.Plain(e.Text)})
	case HostSaid:
		g.line(line{at: e.At, who: e.Name, to: ByHost, text: texts.Plain(e.Text)})
	case Started:
		g.since, g.playing = e.At, true
		note(texts.Of("the game has started"))
	case Turns:
		g.now, g.counted = e.Late, true
	case LagBegan:
		g.lagging, g.lagged = e.At, true
	case LagEnded:
		g.lagging = 0
		note(e.Line)
	case Desynced:
		g.desync = e.Line
		note(e.Line)
	case LinkLost:
		g.note(e, texts.Of("%s has lost the connection: %s", e.Name, e.Text), texts.Of("%s has lost the connection", e.Name))
	case LinkResumed:
		note(texts.Of("%s is back", e.Name))
	case Commanded:
		g.commanded(e)
	case Ended:
		g.ended = e.At
		note(texts.Of("over: %v", texts.Known(e.Text)))
	}
}

// note adds an event as admins read it, and as others do; empty: they do not.
func (g *watched) note(e *Event, text, seen texts.Text) {
	l := line{at: e.At, colour: g.colour(e.PID), text: text}
	g.events.add(l, eventsKept)
	if l.text = seen; !seen.Empty() {
		g.seen.add(l, eventsKept)
	}
}

// left notes a leave. Why somebody was kicked may be the reason of a ban.
func (g *watched) left(e *Event) {
	why := texts.Of("%s left: %v", e.Name, texts.Known(e.Text))
	if e.Kicked {
		g.note(e, why, texts.Of("%s was kicked", e.Name))
		return
	}
	if e.Text == "" || e.Text == "left" {
		why = texts.Of("%s left", e.Name)
	}
	g.note(e, why, why)
}

func (g *watched) commanded(e *Event) {
	text := texts.Of("%s typed %s", e.Name, e.Text)
	if e.Refused != "" {
		text = texts.Of("%s typed %s: %s", e.Name, e.Text, e.Refused)
	}
	g.note(e, text, texts.Text{})
}

// line adds a line of chat.
func (g *watched) line(l line) {
	g.chat.add(l, chatKept)
	if l.to == ToAll || l.to == ByHost {
		g.heard.add(l, chatKept)
	}
}

// colour is that of a player, as pages name it.
func (g *watched) colour(pid uint8) string {
	if g.snap != nil && pid != 0 {
		for _, s := range g.snap.Slots {
			if s.PID == pid {
				return colourName(&s)
			}
		}
	}
	return ""
}

func colourName(s *game.SnapshotSlot) string {
	if s.Observer {
		return "watch"
	}
	return "c" + strconv.Itoa(int(s.Colour))
}

// asked reports whether a snapshot is on its way.
func (g *watched) asked(now time.Duration) bool {
	return g.askedAt > 0 && now < g.askedAt+answerWithin
}

// wants reports whether a snapshot is wanted.
func (g *watched) wants(now time.Duration) bool {
	every := gameEvery
	switch {
	case g.asked(now):
		return false
	case g.ended > 0:
		return now >= g.ended+endedKept // it is gone by then, which the host says
	case g.dirty || g.lagging > 0:
		every = leastEvery
	case g.snap == nil || g.snap.Stage < game.StageLoading:
		every = lobbyEvery
	}
	return g.snap == nil || now >= g.snapAt+every
}

// snapshot takes how the game stands.
func (g *watched) snapshot(now time.Duration, s *game.Snapshot) {
	g.version++
	g.askedAt, g.snapAt = 0, now
	if playing := s.Stage >= game.StageLoading; g.since == 0 || playing && !g.playing { // its events were lost
		g.since, g.playing = now-s.Since, playing
	}
	if s.Stage != game.StageLagging {
		g.lagging = 0
	} else if g.lagging == 0 {
		g.lagging = now
	}
	g.snap = s
	if ping := g.worstPing(); g.ping == 0 || (ping-g.ping).Abs() >= max(noticed, g.ping/8) {
		g.ping = ping
	}
	if s.Stage >= game.StagePlaying {
		var pings []string
		for i := range s.Slots {
			pings = append(pings, strconv.FormatInt(s.Slots[i].RTT.Milliseconds(), 10))
		}
		g.pings.add(strings.Join(pings, " "), pingsKept)
	}
}

// second closes a second of turns.
func (g *watched) second() {
	if !g.counted {
		return
	}
	g.counted = false
	g.version++
	g.late.add(g.now, lateKept)
	g.worst = max(g.worst, g.now.Max)
	g.lagged = g.lagged || g.lagging > 0
	if g.seconds++; g.seconds%healthEvery == 0 {
		g.health.add(g.level(), healthKept)
		g.worst, g.lagged = 0, false
	}
}

// level grades a piece of the health strip, from 0 for turns that nobody can tell from
// punctual ones to 4 for a lag.
func (g *watched) level() byte {
	if g.lagged {
		return 4
	}
	level := byte(0)
	for _, limit := range []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
		if g.worst > limit {
			level++
		}
	}
	return level
}

// worstPing is the largest round trip of the players in the game.
func (g *watched) worstPing() (worst time.Duration) {
	for _, s := range g.snap.Slots {
		if !s.Gone {
			worst = max(worst, s.RTT)
		}
	}
	return worst
}

// players counts the players in the game, without fake ones.
func (g *watched) players() (n int) {
	for _, s := range g.snap.Slots {
		if s.Name != "" && !s.Fake && !s.Gone {
			n++
		}
	}
	return n
}
