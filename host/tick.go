package host

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/rs/zerolog"

	"w3host/game"
)

// Tick lets the machine do the work that is due, and writes the packets that the turn has
// queued before those of others.
func (g *Game) Tick() {
	if g.rebuilding {
		return
	}
	if due, ok := g.machine.Next(); g.shard.leaving && (!ok || g.shard.Now() < g.opened+due) { // it is looked at between two turns
		g.group.Touch()
		g.heed()
		return
	}
	if g.ledger != nil {
		g.protect()
	}
	for _, l := range g.seats {
		if l != nil {
			g.reportBacklog(l)
		}
	}
	if l := &g.shard.lateness; l.seq != g.lateSeq && g.machine.Downloading() {
		g.lateSeq = l.seq
		g.step(&game.Input{Kind: game.HostLate, By: l.newest})
	}
	g.step(&game.Input{Kind: game.Tick})
	for _, l := range g.seats {
		if l != nil {
			g.shard.Flush(l.Conn)
		}
	}
	g.heed()
}

// reportBacklog gives the machine the bytes that a link's socket does not take. While a map
// is downloaded, the figures come with it: without them the scheduler would take
// the system for one that tells nothing, and send without regard to the line.
func (g *Game) reportBacklog(l *link) {
	packets, _ := l.Waiting()
	in := game.Input{Kind: game.Backlog, Link: l.id, Queued: packets, Moves: l.Moves()}
	if in.Queued == 0 && !l.fetching && !l.backlogReported {
		return
	}
	if g.machine.Downloading() {
		in.Figures = l.Figures()
	}
	l.backlogReported, l.fetching = in.Queued > 0, in.Figures.Queued+in.Figures.Unacked > 0
	g.step(&in)
}

// Attends reports whether the machine waits for packets between two turns.
func (g *Game) Attends() bool { return !g.rebuilding && g.machine.Attends() }

// Next is when the machine wants the next tick.
func (g *Game) Next() (at time.Duration, ok bool) {
	if g.rebuilding {
		return 0, false
	}
	at, ok = g.machine.Next()
	at += g.opened
	if every := g.heedsEvery(); every > 0 && (!ok || g.shard.Now()+every < at) {
		return g.shard.Now() + every, true
	}
	return at, ok
}

const (
	// lateNotice is how late a turn must be for the transfers to hear of it.
	lateNotice = time.Millisecond
	// latestCounted bounds the lateness that is told apart; later turns count as this late.
	latestCounted = time.Minute
)

// lateness is how late turns of all games were sent, as far as the host can see:
// figures for the operator, and the newest news for the lobbies, whose transfers
// make way for games. It belongs to the goroutine of the shard.
type lateness struct {
	counts *hdrhistogram.Histogram // in µs
	newest time.Duration           // of the turns that were noticeably late
	seq    uint64                  // counts those
}

func newLateness() lateness {
	return lateness{counts: hdrhistogram.New(1, latestCounted.Microseconds(), 2)}
}

func (l *lateness) note(late time.Duration) {
	_ = l.counts.RecordValue(min(max(late, 0), latestCounted).Microseconds()) // within its bounds
	if late >= lateNotice {
		l.newest = late
		l.seq++
	}
}

// MarshalZerologObject writes the figures as fields of a log line, in
// milliseconds.
func (l *lateness) MarshalZerologObject(e *zerolog.Event) {
	ms := func(percent float64) float64 { return float64(l.counts.ValueAtQuantile(percent)) / 1000 }
	e.Int64("turns", l.counts.TotalCount()).Float64("late_p50_ms", ms(50)).Float64("late_p99_ms", ms(99)).
		Float64("late_p999_ms", ms(99.9)).Float64("late_max_ms", ms(100))
}
