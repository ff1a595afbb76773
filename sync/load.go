package gamesync

import (
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// loadReset renews the lag screen of load in game.
const loadReset = 30 * time.Second

// tape holds the packets for a player who has loaded in game: all those that earlier players got.
type tape struct {
	bytes []byte
	plain []byte // the same for players without a proxy, if it differs
	fed   bool   // there is a 0x0C on it
}

// enterGame has clients load. Players who have left since 0x0A count as loaded.
func (l *Loop) enterGame() {
	l.phase = loading
	l.sink.Entered()
	if l.cfg.LoadInGame {
		l.placeHeld()
	}
	for _, left := range l.held {
		l.send(l.live, &w3gs.GameLoaded{PID: left.pid})
	}
	l.settle()
}

// Loaded takes a player's 0x23.
func (l *Loop) Loaded(now time.Duration, pid uint8) {
	if l.enter(now) {
		l.load(pid)
		l.settle()
	}
}

func (l *Loop) load(pid uint8) {
	if l.player(pid) == nil || l.phase != loading || l.loaded.Has(pid) {
		return
	}
	l.loadedAt = l.t
	l.sink.Loaded(pid, l.t-l.cfg.Countdown)
	if !l.cfg.LoadInGame {
		l.loaded |= w3gs.Only(pid)
		l.send(l.live, &w3gs.GameLoaded{PID: pid})
		return
	}
	l.send(l.ready(), &w3gs.StopLag{Lagger: w3gs.Lagger{PID: pid}})
	l.loaded |= w3gs.Only(pid)
	// The tape may grow later; this part of it never changes.
	tape := l.tape.bytes
	if l.tape.plain != nil && !l.proxied.Has(pid) {
		tape = l.tape.plain
	}
	if l.tape.fed {
		l.fed |= w3gs.Only(pid)
	}
	l.sink.Frames(w3gs.Only(pid), tape[:len(tape):len(tape)])
	if loaders := l.live &^ l.loaded; loaders != 0 {
		if l.ready() == w3gs.Only(pid) {
			l.screen.renewAt = l.t + min(loadReset, l.cfg.LagReset)
		}
		l.send(w3gs.Only(pid), l.startLag(loaders))
	}
}

// begin starts the turns.
func (l *Loop) begin() {
	l.phase, l.screen.votes, l.suspendedTurn = running, 0, 0
	l.pace.due = l.t + l.pace.next
	if l.pace.align {
		late := (l.pace.due - l.pace.beat) % l.pace.next
		l.pace.due += (l.pace.next - late) % l.pace.next
	}
	l.sink.Fact(&Started{After: l.t - l.cfg.Countdown})
	for pid := range l.fakes.All() {
		l.share(l.byPID[pid])
	}
	l.change()
}

// deliver sends game data that all must get at the same place: at once to players in
// the game, and to players who load in game as soon as they have loaded.
func (l *Loop) deliver(p w3gs.Packet) {
	if l.phase == loading && l.cfg.LoadInGame {
		l.tape.bytes = p.AppendTo(l.tape.bytes)
		if l.tape.plain != nil {
			l.tape.plain = p.AppendTo(l.tape.plain)
		}
	}
	l.send(l.ready(), p)
}

// deliverEmpty sends the empty 0x0C that renews a lag screen, behind the empty
// actions of those without a proxy.
func (l *Loop) deliverEmpty() {
	at := l.appendEmpties()
	empty := (&w3gs.IncomingAction{}).AppendTo(nil)
	l.out.frames = append(l.out.frames, empty...)
	if l.phase == loading {
		if l.empties() > 0 && l.tape.plain == nil {
			l.tape.plain = slices.Clone(l.tape.bytes)
		}
		if l.tape.plain != nil {
			l.tape.plain = append(l.tape.plain, l.out.frames[at-l.empties()*emptyLen:]...)
		}
		l.tape.bytes, l.tape.fed = append(l.tape.bytes, empty...), true
	}
	l.broadcastBehind(l.ready(), at)
	l.sink.Fact(&Empty{Count: l.empties() + 1})
}
