package bots

import (
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// newGauge is a rig in the game whose figures count.
func newGauge(t *testing.T) (*rig, *recorder) {
	t.Helper()
	r := newRig(t, Options{Actions: -1, NoStart: true}).toGame()
	rec := &r.g.run.rec
	rec.open.Store(true)
	return r, rec
}

func (r *rig) turnAfter(d time.Duration, actions ...[]byte) {
	r.t.Helper()
	r.time += d
	r.hear(turn(actions...))
}

func TestKnownIntervals(t *testing.T) {
	r, rec := newGauge(t)
	for range 980 {
		r.turnAfter(100 * time.Millisecond)
	}
	for range 10 {
		r.turnAfter(103 * time.Millisecond)
		r.turnAfter(97 * time.Millisecond)
	}
	s, j := rec.interval.summary(), rec.jitter.summary()
	if s.Count != 1000 || !near(s.P50, 100*time.Millisecond) || !near(s.P99, 100*time.Millisecond) || !near(s.P999, 103*time.Millisecond) || s.Max != 103*time.Millisecond {
		t.Errorf("interval %+v", s)
	}
	if j.P50 != 0 || !near(j.P99, 3*time.Millisecond) || j.Max != 3*time.Millisecond {
		t.Errorf("jitter %+v", j)
	}
	if l := rec.late.summary(); l.Max != 3*time.Millisecond || l.P50 != 0 {
		t.Errorf("late %+v", l)
	}
	if n, m := rec.interval.summary().Count, rec.missed.Load(); n != 1000 || m != 0 {
		t.Errorf("%d turns, %d missed", n, m)
	}
	r.fine()
}

func near(got, want time.Duration) bool { return (got-want).Abs()*1000 <= want }

func TestMissedTurns(t *testing.T) {
	for _, row := range []struct {
		interval time.Duration
		missed   int64
	}{
		{0, 0},
		{100 * time.Millisecond, 0},
		{149 * time.Millisecond, 0},
		{150 * time.Millisecond, 1},
		{200 * time.Millisecond, 1},
		{249 * time.Millisecond, 1},
		{250 * time.Millisecond, 2},
		{10 * time.Second, 99},
	} {
		r, rec := newGauge(t)
		r.turnAfter(row.interval)
		if got := rec.missed.Load(); got != row.missed {
			t.Errorf("an interval of %v missed %d turns, want %d", row.interval, got, row.missed)
		}
	}
}

// A host that falls behind and does not catch up is late once, not for ever;
// one that loses a millisecond each turn is ever later.
func TestLateness(t *testing.T) {
	r, rec := newGauge(t)
	r.turnAfter(2 * time.Second)
	for range 100 {
		r.turnAfter(100 * time.Millisecond)
	}
	if l := rec.late.summary(); l.Max != 1900*time.Millisecond || l.P99 != 0 {
		t.Errorf("after a pause: %+v", l)
	}
	r, rec = newGauge(t)
	for range 100 {
		r.turnAfter(101 * time.Millisecond)
	}
	if l := rec.late.summary(); l.Max != 100*time.Millisecond {
		t.Errorf("drift: %+v", l)
	}
}

func TestLagScreenIsNoInterval(t *testing.T) {
	r, rec := newGauge(t)
	r.turnAfter(100 * time.Millisecond)
	r.hear(&w3gs.StartLag{Laggers: []w3gs.Lagger{{PID: 2, LagMillis: 3000}}})
	r.time += 5 * time.Second
	r.hear(&w3gs.StopLag{Lagger: w3gs.Lagger{PID: 2, LagMillis: 8000}})
	r.turnAfter(40 * time.Millisecond)
	r.turnAfter(100 * time.Millisecond)
	if s := rec.interval.summary(); s.Count != 2 || s.Max != 100*time.Millisecond || rec.missed.Load() != 0 {
		t.Errorf("%+v, %d missed", s, rec.missed.Load())
	}
	if r.report.LagScreens != 1 || r.report.StoodStill != 5*time.Second {
		t.Errorf("%d lag screens, %v", r.report.LagScreens, r.report.StoodStill)
	}
}

func TestActionDelay(t *testing.T) {
	r, rec := newGauge(t)
	for n := range 3 {
		r.sendActions(1, r.time)
		sent := only[*w3gs.OutgoingAction](r)
		r.turnAfter(time.Duration(n+1)*10*time.Millisecond, action(1, sent.Data...))
		r.said()
	}
	if s := rec.delay.summary(); s.Count != 3 || !near(s.P50, 20*time.Millisecond) || s.Max != 30*time.Millisecond {
		t.Errorf("%+v", s)
	}
	r.fine()
}

// An action that waited behind a lag screen is seen, but not timed.
func TestActionDelayAcrossALagScreen(t *testing.T) {
	r, rec := newGauge(t)
	r.sendActions(1, r.time)
	before := only[*w3gs.OutgoingAction](r)
	r.hear(&w3gs.StartLag{Laggers: []w3gs.Lagger{{PID: 2}}})
	r.time += 5 * time.Second
	r.hear(&w3gs.StopLag{Lagger: w3gs.Lagger{PID: 2}})
	r.turnAfter(10*time.Millisecond, action(1, before.Data...))
	r.said()
	r.sendActions(1, r.time)
	after := only[*w3gs.OutgoingAction](r)
	r.turnAfter(20*time.Millisecond, action(1, after.Data...))
	if s := rec.delay.summary(); s.Count != 1 || s.Max != 20*time.Millisecond || r.seen != 2 {
		t.Errorf("%+v, %d seen", s, r.seen)
	}
}

func TestActionsOutOfOrder(t *testing.T) {
	r, _ := newGauge(t)
	r.sendActions(2, r.time)
	sent := r.said()
	first, second := sent[0].(*w3gs.OutgoingAction).Data, sent[1].(*w3gs.OutgoingAction).Data
	r.turnAfter(100*time.Millisecond, action(1, second...), action(1, first...))
	r.complains("own action 2 where 1 was due")
}

// The bots' figures are those of players who play by the rules.
func TestMisbehavingBotsAreNotMeasured(t *testing.T) {
	r := newRig(t, Options{Actions: -1, Conduct: func(int, int) Conduct { return Conduct{StallFor: time.Second} }}).toGame()
	r.g.run.rec.open.Store(true)
	r.turnAfter(time.Minute)
	if n := r.g.run.rec.interval.summary().Count; n != 0 {
		t.Errorf("%d intervals", n)
	}
}

// A turn on its way through a bot must cost nothing that the collector sees:
// ten thousand bots take a hundred thousand of them every second.
func TestTurnAllocatesNothing(t *testing.T) {
	r, _ := newGauge(t)
	b := turn(action(2, 0x61, 0, 0), action(3, 0x61, 0, 0)).AppendTo(nil)
	allocs := testing.AllocsPerRun(1000, func() {
		r.out = r.out[:0]
		r.time += 100 * time.Millisecond
		n := copy(r.stream.Free(), b)
		r.stream.Commit(n)
		r.receive(r.time)
	})
	if allocs > 0.1 { // the states kept for comparison grow now and then
		t.Errorf("%.1f allocations for a turn", allocs)
	}
}

func BenchmarkTurn(b *testing.B) {
	r := newRig(&testing.T{}, Options{Actions: -1, NoStart: true}).toGame()
	r.g.run.rec.open.Store(true)
	frame := turn(action(2, make([]byte, ActionLen)...)).AppendTo(nil)
	b.ReportAllocs()
	for b.Loop() {
		r.out = r.out[:0]
		r.time += 100 * time.Millisecond
		n := copy(r.stream.Free(), frame)
		r.stream.Commit(n)
		r.receive(r.time)
	}
}
