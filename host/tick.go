package host

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/rs/zerolog"

	"w3host/game"
)

// Tick implements loop.Owner: the machine does the work that is due, and the packets of the turn are written at once.
func (g *Game) Tick() {
	if g.rebuilding {
		return
	}
	if due, ok := g.machine.Next(); g.shard.leaving && (!ok || g.shard.Now() < g.opened+due) { // called to check for directives between two turns
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

// reportBacklog tells the machine how many bytes wait for a link's socket. While a map is being downloaded, it adds the
// kernel's figures: without them the scheduler would assume a system without figures, and send regardless of the line.
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

// Attends reports whether links must be read between two turns.
func (g *Game) Attends() bool { return !g.rebuilding && g.machine.Attends() }

// Next returns when the next Tick is due; ok is false if none is.
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
	// lateNotice is how late a turn must be for map transfers to slow down.
	lateNotice = time.Millisecond
	// latestCounted is the maximum lateness that is counted; later turns count as this late.
	latestCounted = time.Minute
)

// lateness measures how late the turns of all games were sent, as far as the host can see: for the operator's figures, and
// for the map transfers of lobbies, which slow down for running games.
type lateness struct {
	counts *hdrhistogram.Histogram // in µs
	newest time.Duration           // lateness of the last turn that was later than lateNotice
	seq    uint64                  // number of such turns
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

// MarshalZerologObject writes the figures as fields of a log line, in milliseconds.
func (l *lateness) MarshalZerologObject(e *zerolog.Event) {
	ms := func(percent float64) float64 { return float64(l.counts.ValueAtQuantile(percent)) / 1000 }
	e.Int64("turns", l.counts.TotalCount()).Float64("late_p50_ms", ms(50)).Float64("late_p99_ms", ms(99)).
		Float64("late_p999_ms", ms(99.9)).Float64("late_max_ms", ms(100))
}
