package lobby

import (
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// TeamRule is how the teams of a melee game are arranged, also for players who join later.
type TeamRule uint8

// The values of TeamRule.
const (
	EachAlone        TeamRule = iota // each player has a team of their own
	TwoTeams                         // two teams of equal size
	OneAgainstAll                    // one player against all others
	AgainstComputers                 // players against computers
)

// SetTeams arranges the teams. PID is the single player of OneAgainstAll.
type SetTeams struct {
	Rule TeamRule
	PID  uint8
}

func (op SetTeams) apply(l *Lobby) *texts.Refusal {
	if !l.melee() {
		return texts.Refuse(texts.Fixed, "the map sets the teams: move players with swap or team")
	}
	var playing []int
	computers := 0
	for i, s := range l.slots {
		if s.Status == w3gs.SlotOccupied && s.Team != l.observer {
			playing = append(playing, i)
			if s.Computer {
				computers++
			}
		}
	}
	hero := l.player(op.PID)
	switch {
	case op.Rule == OneAgainstAll && hero == nil:
		return texts.Refuse(texts.NoSuch, "there is no player with pid %d", op.PID)
	case op.Rule == OneAgainstAll && l.slot(hero).Team == l.observer:
		return texts.Refuse(texts.Fixed, "%s is an observer", hero.name)
	case op.Rule == AgainstComputers && (computers == 0 || computers == len(playing)):
		return texts.Refuse(texts.NoSuch, "this needs players and computers: add computers with comp or compall")
	}
	l.teams = op.Rule
	for n, i := range playing {
		s := &l.slots[i]
		switch {
		case op.Rule == EachAlone:
			s.Team = uint8(n)
		case op.Rule == TwoTeams && n < (len(playing)+1)/2, op.Rule == OneAgainstAll && s.PID == op.PID, op.Rule == AgainstComputers && !s.Computer:
			s.Team = 0
		default:
			s.Team = 1
		}
	}
	switch op.Rule {
	case EachAlone:
		l.say(0, "Everybody plays alone.")
	case TwoTeams:
		l.say(0, "There are two teams.")
	case OneAgainstAll:
		l.say(0, "%s plays against everybody else.", hero.name)
	case AgainstComputers:
		l.say(0, "The players play against the computers.")
	}
	return nil
}

// newTeam returns the team of a player who takes a slot in a melee game.
func (l *Lobby) newTeam(i int, computer bool) uint8 {
	var sizes [2]int
	for j, s := range l.slots {
		if j != i && s.Status == w3gs.SlotOccupied && int(s.Team) < len(sizes) {
			sizes[s.Team]++
		}
	}
	switch {
	case l.teams == EachAlone:
		return l.freeTeam(i)
	case l.teams == TwoTeams && sizes[0] <= sizes[1], l.teams == AgainstComputers && !computer:
		return 0
	}
	return 1
}

// Computers puts a computer into every open slot in which one can play.
type Computers struct{ AI w3gs.AI }

func (op Computers) apply(l *Lobby) *texts.Refusal {
	no := texts.Refuse(texts.Full, "no slot is open for a computer")
	for i, s := range l.slots {
		if s.Status == w3gs.SlotOpen && (Computer{Slot: i, AI: op.AI}).apply(l) == nil {
			no = nil
		}
	}
	return no
}

// DeleteComputers opens the slots of all computers except those defined by the map.
type DeleteComputers struct{}

func (DeleteComputers) apply(l *Lobby) *texts.Refusal {
	no := texts.Refuse(texts.NoSuch, "there are no computers but those of the map")
	for i, s := range l.slots {
		if s.Computer && !l.mapSlots[i].Computer {
			l.vacate(i)
			no = nil
		}
	}
	return no
}
