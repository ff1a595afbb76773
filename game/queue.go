package game

import (
	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// task is an effect of one part of a game on another. It is queued until the call that caused it has returned, because
// no part may be called while it is working.
type task interface{ do(m *Machine) }

type (
	// say says a line of the host to the players in to, or to all if to is 0.
	say struct {
		to   w3gs.PIDs
		text texts.Text
	}
	// kickLater removes a player from the lobby or the game.
	kickLater lobby.Kick
	// muteLater mutes a player.
	muteLater lobby.Mute
	// progress reports the progress of a download to the lobby.
	progress struct{ pid, percent uint8 }
	// said runs a player's line if it is a command.
	said struct {
		by   *command.Caller
		text string
	}
	// kickedFromGame removes a player whom the lobby has kicked from the turns.
	kickedFromGame struct{ pid uint8 }
	// dropped saves the game, if autosave is on, for a player whom the turns have removed.
	dropped struct{ pid uint8 }
	// startAgreed starts the game after a vote.
	startAgreed struct{}
	// swapAgreed swaps two players after both agreed.
	swapAgreed struct{ a, b uint8 }
)

// later adds a task to the queue.
func (m *Machine) later(t task) { m.out.queue = append(m.out.queue, t) }

// drain runs the queued tasks in order, including those they add.
func (m *Machine) drain() {
	if len(m.out.queue) > 0 { // the queue is empty after most inputs
		m.drainAll()
	}
}

func (m *Machine) drainAll() {
	for i := 0; i < len(m.out.queue) && !m.Over(); i++ {
		m.out.queue[i].do(m)
	}
	clear(m.out.queue)
	m.out.queue = m.out.queue[:0]
}

func (t say) do(m *Machine)            { m.sayText(t.to, t.text) }
func (t kickLater) do(m *Machine)      { m.try(lobby.Kick(t)) }
func (t muteLater) do(m *Machine)      { m.try(lobby.Mute(t)) }
func (t progress) do(m *Machine)       { m.lobby.Progress(m.now, t.pid, t.percent) }
func (t said) do(m *Machine)           { m.obey(t.by, t.text) }
func (t kickedFromGame) do(m *Machine) { m.turns.Leave(m.playTime(), t.pid, w3gs.LeaveLost) }
func (t dropped) do(m *Machine)        { m.autosave(t.pid) }

func (startAgreed) do(m *Machine) {
	if err := m.try(lobby.Start{}); err != nil {
		m.sayText(0, texts.Sentence(texts.Of("The game does not start: %v", err)))
	}
}

func (t swapAgreed) do(m *Machine) {
	a, _ := m.lobby.Player(t.a)
	b, _ := m.lobby.Player(t.b)
	if err := m.try(lobby.Swap{A: a.Slot, B: b.Slot}); err != nil {
		m.sayText(w3gs.Only(a.PID)|w3gs.Only(b.PID), texts.Sentence(texts.From(err)))
	}
}
