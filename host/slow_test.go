package host

import (
	"slices"
	"testing"
	"time"

	"w3host/game"
	"w3host/host/loop"
	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/mapxfer"
)

// lateTape notes how late turns of a game were.
type lateTape []time.Duration

// Observe takes one fact.
func (l *lateTape) Observe(s *game.Stamped) {
	if f, ok := s.Fact.(*game.Turned); ok {
		*l = append(*l, f.Late)
	}
}

// TestSlowWorkDelaysNoOtherGame: what takes long in one game, or is much, is cut
// into pieces between which the turns of others go out. The work is on hand just
// before a turn is due; the median of some rounds is judged, since the machine may
// be busy with other things.
func TestSlowWorkDelaysNoOtherGame(t *testing.T) {
	tier.All(t, "judges lateness in real time")
	const rounds, most = 9, 2 * time.Millisecond
	parts, err := mapxfer.NewParts(make([]byte, 8<<20))
	if err != nil {
		t.Fatal(err)
	}
	for name, work := range map[string]func(r *rig) func(){
		"parts of the map": func(r *rig) func() {
			var lobbies []*Game
			for range 4 {
				g := r.lobby(12)
				lobbies = append(lobbies, g)
				for _, n := range names(11) {
					r.join(g, n, player)
				}
			}
			return func() {
				for _, g := range lobbies {
					g.call(func() {
						for _, l := range g.links {
							l.QueuePiece(loop.Piece{Parts: parts, End: 8 << 20, To: l.pid, From: 1})
						}
					})
				}
			}
		},
		"joins": func(r *rig) func() {
			return func() {
				for range 6 {
					g := r.lobby(12)
					for _, n := range names(11) {
						dial(r.t, r.h.Addr()).Send(joinPacket(g.ID(), g.EntryKey(), n))
					}
				}
			}
		},
		"panics": func(r *rig) func() {
			return func() {
				for range 100 {
					r.lobby(12).call(func() { panic("injected") })
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(o *Options) { o.Game.Turns.Period, o.Limits.UnjoinedPerIP = 200*time.Millisecond, 1000 })
			g, _ := r.play(3)
			tape := new(lateTape)
			ask(t, g, func(g *Game) bool { g.observers = append(g.observers, tape); return true })
			var late []time.Duration
			begin := work(r)
			for range rounds {
				held, hold := make(chan time.Time), make(chan struct{})
				turns := 0
				g.call(func() { turns = len(*tape); held <- dueAt(g); <-hold })
				due := <-held
				begin()
				time.Sleep(time.Until(due) - 100*time.Microsecond)
				overslept := max(0, time.Since(due))
				close(hold)
				testkit.Eventually(t, "the turn", func() bool { return ask(t, g, func(*Game) bool { return len(*tape) > turns }) })
				late = append(late, ask(t, g, func(*Game) time.Duration { return (*tape)[turns] })-overslept)
			}
			slices.Sort(late)
			if late[rounds/2] > most {
				t.Errorf("turns were late by %v, want at most %v", late, most)
			}
			t.Log(late)
		})
	}
}

func names(n int) (list []string) {
	for i := range n {
		list = append(list, string(rune('A'+i))+"lice")
	}
	return list
}

// dueAt is when a game's next tick is due, for one who holds its shard.
func dueAt(g *Game) time.Time { return time.Now().Add(g.group.Due() - g.shard.Now()) }
