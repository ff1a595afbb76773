package gamesync

import (
	"slices"
	"time"

	"w3host/w3gs"
)

// loadReset renews the lag screen of load in game.
const loadReset = 30 * time.Second

func (e Loaded) apply(g *Game) {
	pid := e.PID
	if g.player(pid) == nil || g.phase != loading || g.loaded.Has(pid) {
		return
	}
	g.emit(&PlayerLoaded{PID: pid, After: g.t})
	if !g.cfg.LoadInGame {
		g.loaded |= w3gs.Only(pid)
		g.tell(g.live, &w3gs.GameLoaded{PID: pid})
		return
	}
	g.tell(g.ready(), &w3gs.StopLag{Lagger: w3gs.Lagger{PID: pid}})
	g.loaded |= w3gs.Only(pid)
	// The tape may grow later; this part of it never changes.
	tape := g.tape
	if g.plain != nil && !g.proxied.Has(pid) {
		tape = g.plain
	}
	if g.tapeFed {
		g.fed |= w3gs.Only(pid)
	}
	g.emit(&Broadcast{To: w3gs.Only(pid), Frame: tape[:len(tape):len(tape)]})
	if loaders := g.live &^ g.loaded; loaders != 0 {
		if g.ready() == w3gs.Only(pid) {
			g.resetAt = g.t + min(loadReset, g.cfg.LagReset)
		}
		g.tell(w3gs.Only(pid), g.startLag(loaders))
	}
}

// begin starts the turns.
func (g *Game) begin() {
	g.phase, g.voted, g.suspendedTurn = running, 0, 0
	g.due = g.t + g.nextPeriod
	if g.align {
		late := (g.due - g.beat) % g.nextPeriod
		g.due += (g.nextPeriod - late) % g.nextPeriod
	}
	g.emit(&Started{After: g.t})
	g.change()
}

// deliver sends game data that all must get at the same place: at once to those in
// the game, and to those who load in game once they have loaded.
func (g *Game) deliver(p w3gs.Packet) {
	if g.phase == loading && g.cfg.LoadInGame {
		g.tape = p.AppendTo(g.tape)
		if g.plain != nil {
			g.plain = p.AppendTo(g.plain)
		}
	}
	g.tell(g.ready(), p)
}

// deliverEmpty sends the empty 0x0C that renews a lag screen, behind the empty
// actions of those without a proxy.
func (g *Game) deliverEmpty() {
	at := g.appendEmpties()
	empty := (&w3gs.IncomingAction{}).AppendTo(nil)
	g.frames = append(g.frames, empty...)
	if g.phase == loading {
		if g.empties() > 0 && g.plain == nil {
			g.plain = slices.Clone(g.tape)
		}
		if g.plain != nil {
			g.plain = append(g.plain, g.frames[at-g.empties()*emptyLen:]...)
		}
		g.tape, g.tapeFed = append(g.tape, empty...), true
	}
	g.broadcastBehind(g.ready(), at)
	g.emit(&Empty{Count: g.empties() + 1})
}
