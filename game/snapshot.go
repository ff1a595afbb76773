package game

import (
	"slices"
	"time"

	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Snapshot is a copy of the state of a lobby or game, for display.
type Snapshot struct {
	Name    string
	Map     Map
	Version w3gs.Version
	Listed  bool
	// Anonymous means that strangers must not see the names of players.
	Anonymous bool
	Owner     string
	Stage     Stage
	Since     time.Duration // time since the lobby opened, or since the game began
	Counts    lobby.Counts
	Waits     texts.Text // why the lobby has not started; empty after the start
	Slots     []SnapshotSlot
	Turn      uint32
	Period    time.Duration
	Watchers  int // number of viewers; filled in by the host
}

// Stage is the progress of a game.
type Stage uint8

// The stages.
const (
	StageLobby Stage = iota
	StageCounting
	StageLoading
	StagePlaying
	StageLagging // the lag screen is shown
)

// SnapshotSlot is a slot and its occupant.
type SnapshotSlot struct {
	w3gs.Slot
	Race     texts.Text
	Name     string // name of a player; empty for no player or a computer
	Fake     bool
	Observer bool
	Ready    bool
	Owns     bool
	RTT      time.Duration
	// The following are set in a running game.
	Gone   bool
	Away   bool // the connection is lost and can still be resumed
	Loaded bool
	Lags   bool
	Behind int // number of unacknowledged turns
}

// Snapshot returns the state of the game. It does not change the game.
func (m *Machine) Snapshot() *Snapshot {
	s := &Snapshot{
		Name: m.cfg.Name, Map: m.cfg.Map, Version: m.cfg.Version, Listed: !m.cfg.Unlisted, Anonymous: m.cfg.Lobby.Admission.Anonymous, Owner: m.lobby.Owner(),
		Since: m.now, Counts: m.lobby.Counts(), Period: m.cfg.Turns.Period,
	}
	if m.turns != nil {
		m.snapshotGame(s)
		return s
	}
	if s.Waits = m.lobby.Waits(); m.lobby.Counting() {
		s.Stage = StageCounting
	}
	for _, slot := range m.lobby.SlotTable().Slots {
		s.Slots = append(s.Slots, m.snapshotSlot(slot))
	}
	return s
}

func (m *Machine) snapshotSlot(slot w3gs.Slot) SnapshotSlot {
	s := SnapshotSlot{Slot: slot, Race: raceName(slot.Race)}
	if p, there := m.lobby.Player(slot.PID); there {
		s.Name, s.Fake, s.Observer, s.Ready, s.RTT, s.Owns = p.Name, p.Fake, p.Observer, p.Ready, p.RTT, m.lobby.Owns(p.PID)
	}
	return s
}

// snapshotGame describes a running game, with the slots of its start.
func (m *Machine) snapshotGame(s *Snapshot) {
	s.Stage, s.Since, s.Turn, s.Period = StagePlaying, m.playTime(), m.turns.Turns(), m.turns.Period()
	switch laggers := m.turns.Laggers(); {
	case m.turns.Loading():
		s.Stage = StageLoading
	case laggers != 0:
		s.Stage = StageLagging
	}
	players := slices.Concat(m.started.Players, m.started.Fakes)
	for _, slot := range m.started.Table.Slots {
		at := m.snapshotSlot(slot)
		if i := slices.IndexFunc(players, func(p lobby.Player) bool { return p.PID == slot.PID }); i >= 0 && slot.PID != 0 {
			at.Name, at.Fake, at.Observer = players[i].Name, players[i].Fake, players[i].Observer
			at.Gone = !at.Fake && !m.turns.Live().Has(slot.PID)
			at.Away = m.turns.Absent().Has(slot.PID)
			at.Loaded, at.Behind = m.turns.Progress(slot.PID)
			at.Lags = m.turns.Laggers().Has(slot.PID)
		}
		s.Slots = append(s.Slots, at)
	}
}
