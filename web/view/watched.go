package view

import (
	"strconv"
	"strings"
	"time"

	"w3host/game"
	"w3host/texts"
)

// Limits of the data kept for each game.
const (
	chatKept   = 100
	eventsKept = 50
	lateKept   = 300 // seconds
	pingsKept  = 60
	healthKept = 30 // pieces of healthEvery seconds each
	// healthEvery is the number of seconds that one piece of the health strip covers.
	healthEvery = 10
	// noticed is the smallest change of a game's worst ping that lists of games show; above 40 ms it is an eighth of the
	// ping. It avoids constant updates, because pings change all the time.
	noticed = 5 * time.Millisecond
	// endedKept is the time for which pages show a game after its end.
	endedKept = 15 * time.Second
)

// watched is the state of one lobby or game, built from its events and snapshots.
type watched struct {
	id      uint32
	snap    *game.Snapshot // nil until the first snapshot
	snapAt  time.Duration  // since 1970
	since   time.Duration  // when the lobby or the game began, since 1970
	playing bool           // the game has started; since is then its start
	dirty   bool
	askedAt time.Duration // when a snapshot was requested; 0 if none is outstanding
	ended   time.Duration // when the game ended; 0 if it has not
	joined  time.Duration // when the last player joined
	lagging time.Duration // when the lag screen appeared; 0 if it is not shown
	desync  texts.Text

	chat, heard  tail[line] // all chat lines, and the lines to all players
	events, seen tail[line] // all events, and the events for readers below admins
	late         tail[Lateness]
	pings        tail[string]
	health       tail[byte]
	ping         time.Duration // the worst round trip that lists of games show
	worst        time.Duration // maximum lateness in the current piece of the health strip
	lagged       bool          // the lag screen was shown in the current piece
	seconds      int
	now          Lateness // lateness in the current second
	counted      bool     // now has been received
	version      int      // increases with each change
}

// line is a chat line or an entry of the list of events.
type line struct {
	at     time.Duration
	colour string
	who    string
	to     Audience
	text   texts.Text
}

// tail holds the last items of an append-only list. Items never change, so each is translated only once per language.
type tail[T any] struct {
	end   int
	items []T
	made  [texts.Chinese + 1]struct {
		end   int
		items [][]string
	}
}

// last appends an item and returns the last keep items. Slices that it returned before remain valid.
func last[T any](items []T, item T, keep int) []T {
	items = append(items, item)
	return items[max(0, len(items)-keep):]
}

func (t *tail[T]) add(item T, keep int) {
	t.items = last(t.items, item, keep)
	t.end++
}

// newest returns the last item, or the zero value if there is none.
func (t *tail[T]) newest() (item T) {
	if n := len(t.items); n > 0 {
		item = t.items[n-1]
	}
	return item
}

// in returns the tail in the language of w; say converts an item to texts.
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

// fact processes an event of the game.
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

// note adds an entry to the list of events: text for admins, and seen for other readers. Others get no entry if seen is
// empty.
func (g *watched) note(e *Event, text, seen texts.Text) {
	l := line{at: e.At, colour: g.colour(e.PID), text: text}
	g.events.add(l, eventsKept)
	if l.text = seen; !seen.Empty() {
		g.seen.add(l, eventsKept)
	}
}

// left notes that a player left. Only admins see the reason of a kick, because it may be the reason of a ban.
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

// colour returns the style name of a player's colour, or "" if it is unknown.
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

// asked reports whether a requested snapshot is outstanding.
func (g *watched) asked(now time.Duration) bool {
	return g.askedAt > 0 && now < g.askedAt+answerWithin
}

// wants reports whether a snapshot should be requested now.
func (g *watched) wants(now time.Duration) bool {
	every := gameEvery
	switch {
	case g.asked(now):
		return false
	case g.ended > 0:
		return now >= g.ended+endedKept // the host then has no such game, and the entry is deleted
	case g.dirty || g.lagging > 0:
		every = leastEvery
	case g.snap == nil || g.snap.Stage < game.StageLoading:
		every = lobbyEvery
	}
	return g.snap == nil || now >= g.snapAt+every
}

// snapshot stores a new snapshot of the game.
func (g *watched) snapshot(now time.Duration, s *game.Snapshot) {
	g.version++
	g.askedAt, g.snapAt = 0, now
	if playing := s.Stage >= game.StageLoading; g.since == 0 || playing && !g.playing { // its Opened or Started event was lost
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

// second ends a second, and adds its lateness to the charts if turns were sent.
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

// level returns the grade of the current piece of the health strip, from 0 for imperceptible lateness to 4 if the lag
// screen was shown.
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

// worstPing returns the largest round-trip time of the players in the game.
func (g *watched) worstPing() (worst time.Duration) {
	for _, s := range g.snap.Slots {
		if !s.Gone {
			worst = max(worst, s.RTT)
		}
	}
	return worst
}

// players returns the number of players in the game, without fake players.
func (g *watched) players() (n int) {
	for _, s := range g.snap.Slots {
		if s.Name != "" && !s.Fake && !s.Gone {
			n++
		}
	}
	return n
}
