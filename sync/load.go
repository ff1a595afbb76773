package gamesync

import (
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// loadReset is the interval at which the lag screen is renewed while players load in game.
const loadReset = 30 * time.Second

// loadBuffer buffers the packets that players who have loaded in game received so far, for those who load later.
type loadBuffer struct {
	bytes []byte
	plain []byte // variant for players without a proxy, if it differs
	fed   bool   // it contains a 0x0C
}

// enterGame makes clients load the map. Players who have left since 0x0A count as loaded.
func (l *Loop) enterGame() {
	l.phase = loading
	l.sink.Entered()
	if l.cfg.LoadInGame {
		l.sendPendingLeaves()
	}
	for _, left := range l.pendingLeaves {
		l.send(l.live, &w3gs.GameLoaded{PID: left.pid})
	}
	l.settle()
}

// Loaded processes a player's 0x23.
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
	// The buffer may grow later, but this part of it never changes.
	buffered := l.loadBuffer.bytes
	if l.loadBuffer.plain != nil && !l.proxied.Has(pid) {
		buffered = l.loadBuffer.plain
	}
	if l.loadBuffer.fed {
		l.fed |= w3gs.Only(pid)
	}
	l.sink.Frames(w3gs.Only(pid), buffered[:len(buffered):len(buffered)])
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
		l.shareUnits(l.byPID[pid])
	}
	l.applySettings()
}

// deliver sends a game packet that all clients must process at the same position: immediately to players in
// the game, and to players who load in game once they have loaded.
func (l *Loop) deliver(p w3gs.Packet) {
	if l.phase == loading && l.cfg.LoadInGame {
		l.loadBuffer.bytes = p.AppendTo(l.loadBuffer.bytes)
		if l.loadBuffer.plain != nil {
			l.loadBuffer.plain = p.AppendTo(l.loadBuffer.plain)
		}
	}
	l.send(l.ready(), p)
}

// deliverEmpty sends the empty 0x0C that renews a lag screen, preceded by the empty actions for players
// without a proxy.
func (l *Loop) deliverEmpty() {
	at := l.appendEmpties()
	empty := (&w3gs.IncomingAction{}).AppendTo(nil)
	l.out.frames = append(l.out.frames, empty...)
	if l.phase == loading {
		if l.empties() > 0 && l.loadBuffer.plain == nil {
			l.loadBuffer.plain = slices.Clone(l.loadBuffer.bytes)
		}
		if l.loadBuffer.plain != nil {
			l.loadBuffer.plain = append(l.loadBuffer.plain, l.out.frames[at-l.empties()*emptyLen:]...)
		}
		l.loadBuffer.bytes, l.loadBuffer.fed = append(l.loadBuffer.bytes, empty...), true
	}
	l.broadcastBehind(l.ready(), at)
	l.sink.Fact(&Empty{Count: l.empties() + 1})
}
