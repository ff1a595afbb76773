package lobby

import "w3host/w3gs"

// Started reports whether the game has begun.
func (l *Lobby) Started() bool { return l.phase == phaseStarted }

// Counting reports whether the countdown runs.
func (l *Lobby) Counting() bool { return l.phase == phaseCounting }

// VirtualHost is the pid of the virtual host; 0 when it has given way.
func (l *Lobby) VirtualHost() uint8 { return l.vhost }

// Owner is the name of the owner, who need not be in the lobby.
func (l *Lobby) Owner() string { return l.owner }

// Player finds a human or fake player.
func (l *Lobby) Player(pid uint8) (Player, bool) { return Player{}, false }

// Players lists the humans in slot order.
func (l *Lobby) Players() []Player { return nil }

// Fakes lists the fake players in slot order.
func (l *Lobby) Fakes() []Player { return nil }

// Find lists the players, humans and fakes, that a part of a name means, in
// slot order: the one with exactly that name, or all whose names hold the part,
// ignoring case.
func (l *Lobby) Find(part string) []Player { return nil }

// Humans is the set of all human players.
func (l *Lobby) Humans() PIDs { return 0 }

// SlotTable is a copy of the table as the next 0x09 would send it.
func (l *Lobby) SlotTable() w3gs.SlotTable { return w3gs.SlotTable{} }

// Counts counts the slots.
func (l *Lobby) Counts() Counts { return Counts{} }
