package game

import (
	"w3host/game/command"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// task is something that one part of a game has caused in another. It waits in the queue
// until the call that caused it has returned, since no part may be called while it works.
type task interface{ do(m *Machine) }

type (
	// say has the host say a line to the players in to; 0: to all.
	say struct {
		to   w3gs.PIDs
		text texts.Text
	}
	// kickLater removes a player from the lobby or the game.
	kickLater lobby.Kick
	// muteLater mutes a player.
	muteLater lobby.Mute
	// progress shows how far a download has come.
	progress struct{ pid, percent uint8 }
	// said is a line of a player that may be a command.
	said struct {
		by   *command.Caller
		text string
	}
	// kickedFromGame has the turns go on without a player whom the lobby has kicked.
	kickedFromGame struct{ pid uint8 }
	// dropped keeps the save of a player whom the turns have removed.
	dropped struct{ pid uint8 }
	// startAgreed starts the game after a vote.
	startAgreed struct{}
	// swapAgreed lets two players change places.
	swapAgreed struct{ a, b uint8 }
)

// later puts a task into the queue.
func (m *Machine) later(t task) { m.out.queue = append(m.out.queue, t) }

// drain does what is in the queue, and what follows from it, in order.
func (m *Machine) drain() {
	if len(m.out.queue) > 0 { // as after few inputs
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
