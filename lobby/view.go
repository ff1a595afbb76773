package lobby

import (
	"slices"
	"strings"

	"w3host/w3gs"
)

// Owner is the name of the owner, who need not be in the lobby.
func (l *Lobby) Owner() string { return l.owner }

// Player finds a human or fake player.
func (l *Lobby) Player(pid uint8) (Player, bool) {
	if pid >= pidLimit || l.players[pid] == nil {
		return Player{}, false
	}
	return l.describe(l.players[pid]), true
}

// Players lists the humans in slot order.
func (l *Lobby) Players() []Player { return l.list(false) }

// Fakes lists the fake players in slot order.
func (l *Lobby) Fakes() []Player { return l.list(true) }

// Find lists the players, humans and fakes, that a part of a name means, in
// slot order: the one with exactly that name, or else all whose names hold the
// part, ignoring case.
func (l *Lobby) Find(part string) []Player {
	if p := l.named(part); p != nil {
		return []Player{l.describe(p)}
	}
	var found []Player
	for p := range l.seated {
		if strings.Contains(strings.ToLower(p.name), strings.ToLower(part)) {
			found = append(found, l.describe(p))
		}
	}
	return found
}

// Humans is the set of all human players, without those kicked from a game.
func (l *Lobby) Humans() w3gs.PIDs {
	return l.those(func(p *player) bool { return !p.fake && !p.kicked })
}

func (l *Lobby) those(who func(p *player) bool) (set w3gs.PIDs) {
	for _, p := range l.players {
		if p != nil && who(p) {
			set |= w3gs.Only(p.pid)
		}
	}
	return set
}

// SlotTable is a copy of the table as the next 0x09 would send it.
func (l *Lobby) SlotTable() w3gs.SlotTable {
	return w3gs.SlotTable{
		Slots:       slices.Clone(l.slots),
		RandomSeed:  l.cfg.RandomSeed,
		Layout:      l.cfg.Layout,
		PlayerSlots: l.cfg.PlayerSlots,
	}
}

// Counts counts the slots; what it says holds until the game starts.
func (l *Lobby) Counts() Counts {
	c := Counts{Total: len(l.slots)}
	for _, s := range l.slots {
		switch {
		case s.Status == w3gs.SlotOpen:
			c.Open++
		case s.Status == w3gs.SlotClosed:
			c.Closed++
		case s.Computer:
			c.Computers++
		case l.human(s.PID) != nil:
			c.Humans++
		case l.players[s.PID] != nil:
			c.Fakes++
		}
	}
	return c
}

func (l *Lobby) list(fake bool) []Player {
	var list []Player
	for p := range l.seated {
		if p.fake == fake {
			list = append(list, l.describe(p))
		}
	}
	return list
}

func (l *Lobby) describe(p *player) Player {
	i := l.slotOf(p.pid)
	s := l.slots[i]
	if l.handicaps != nil {
		s.Handicap = l.handicaps[i]
	}
	realm := p.realm
	if p.doubtful {
		realm = ""
	}
	return Player{
		PID: p.pid, Name: p.name, Realm: realm, Slot: i, Fake: p.fake,
		Observer: s.Team == l.observer, Team: s.Team, Colour: s.Colour, Race: s.Race,
		Handicap: s.Handicap, Download: s.Download,
		Reserved: l.isReserved(p), Muted: p.muted || l.now < p.mutedUntil,
		External: p.external, Joined: p.joined, Pings: p.measured, RTT: p.rtt(),
	}
}

// seated yields humans and fakes in slot order.
func (l *Lobby) seated(yield func(*player) bool) {
	for _, s := range l.slots {
		if p := l.players[s.PID]; p != nil && !yield(p) {
			return
		}
	}
}

// human finds a player with a connection.
func (l *Lobby) human(pid uint8) *player {
	if pid >= pidLimit || l.players[pid] == nil || l.players[pid].fake {
		return nil
	}
	return l.players[pid]
}

// named finds a player by the whole name, ignoring case.
func (l *Lobby) named(name string) *player {
	for _, p := range l.players {
		if p != nil && sameName(p.name, name) {
			return p
		}
	}
	return nil
}

func (l *Lobby) slotOf(pid uint8) int {
	return slices.IndexFunc(l.slots, func(s w3gs.Slot) bool { return s.PID == pid })
}

// HCL is the mode string that the map will read; empty for none.
func (l *Lobby) HCL() string { return l.hcl }
