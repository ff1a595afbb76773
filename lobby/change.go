package lobby

import (
	"slices"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// The changes in this file are requested by players with 0x28 or by operators. A change that is not allowed does nothing
// and returns the reason; players are not told the reason for their own requests.

// request handles a 0x28 that asks for a change of the sender's slot. It ignores requests during the countdown and those
// beyond the rate limit: SlotRequests per second with a burst of two seconds' worth.
func (l *Lobby) request(p *player, line w3gs.Chat) {
	rate := time.Duration(l.cfg.Pace.SlotRequests)
	if l.phase == phaseOpen && (rate == 0 || p.requests.Take(l.now, time.Second/rate, 2*time.Second) == 0) {
		_ = l.try(Set{l.slotOf(p.pid), line.Flag, line.Value})
	}
}

// changeTeam changes the team of a slot. If the map defines forces, the slot's occupant moves to the first open slot of
// that force; in melee only the team number changes.
func (l *Lobby) changeTeam(i int, team uint8) *texts.Refusal {
	s := &l.slots[i]
	was, watch := s.Team, team == l.observer
	switch {
	case l.cfg.Layout == w3gs.LayoutLadder:
		return texts.Refuse(texts.Fixed, "the teams of a ladder game are fixed")
	case s.Computer && watch:
		return texts.Refuse(texts.Fixed, "a computer cannot be an observer")
	case !l.melee():
		to := slices.IndexFunc(l.slots, func(s w3gs.Slot) bool { return s.Status == w3gs.SlotOpen && s.Team == team })
		if to < 0 {
			return texts.Refuse(texts.Full, "%v has no open slot", l.teamName(team))
		}
		l.exchange(i, to, false)
		return nil
	case team == was:
		return nil
	case watch && !l.cfg.Observers:
		return texts.Refuse(texts.Fixed, "observers are off in this game")
	case !watch && team >= l.cfg.Wire.MaxPID:
		return outOfRange("team", int(l.cfg.Wire.MaxPID))
	case was == l.observer && l.playing(i) >= int(l.cfg.PlayerSlots):
		return texts.Refuse(texts.Full, "all %d starting positions are taken", l.cfg.PlayerSlots)
	}
	if s.Team = team; watch {
		s.Colour = l.observer
	} else if was == l.observer {
		l.takeColour(i, l.freeColour(i))
	}
	return nil
}

func (l *Lobby) changeColour(i int, colour uint8) *texts.Refusal {
	switch s := l.slots[i]; {
	case l.fixed():
		return texts.Refuse(texts.Fixed, "the colours are set by the map")
	case s.Team == l.observer:
		return texts.Refuse(texts.Fixed, "observers have no colour")
	case colour >= l.cfg.Wire.MaxPID:
		return outOfRange("colour", int(l.cfg.Wire.MaxPID))
	case l.occupiedColour(i, colour) >= 0:
		return texts.Refuse(texts.Taken, "colour %d is taken by %v", colour+1, l.occupant(l.occupiedColour(i, colour)))
	}
	l.takeColour(i, colour)
	return nil
}

func (l *Lobby) changeRace(i int, race w3gs.Race) *texts.Refusal {
	s := &l.slots[i]
	if l.cfg.Layout == w3gs.LayoutLadder || s.Race&w3gs.RaceSelectable == 0 {
		return texts.Refuse(texts.Fixed, "the race of slot %d is fixed", i+1)
	}
	switch race {
	case w3gs.RaceHuman, w3gs.RaceOrc, w3gs.RaceNightElf, w3gs.RaceUndead, w3gs.RaceRandom:
		s.Race = race | w3gs.RaceSelectable
		return nil
	}
	return texts.Refuse(texts.Malformed, "there is no such race")
}

func (l *Lobby) changeHandicap(i int, handicap uint8) *texts.Refusal {
	if l.fixed() {
		return texts.Refuse(texts.Fixed, "the handicaps are set by the map")
	}
	if handicap < 50 || handicap > 100 || handicap%10 != 0 {
		return texts.Refuse(texts.OutOfRange, "the handicap must be 50, 60, 70, 80, 90 or 100")
	}
	l.slots[i].Handicap = handicap
	return nil
}

func (l *Lobby) teamName(team uint8) texts.Text {
	if team == l.observer {
		return texts.Of("the observer team")
	}
	return texts.Of("team %d", team+1)
}

// occupant describes who is in a slot, for messages.
func (l *Lobby) occupant(i int) texts.Text {
	s := l.slots[i]
	switch {
	case s.Computer:
		return texts.Of("a computer")
	case s.Status == w3gs.SlotOccupied:
		return texts.Plain(l.players[s.PID].name)
	case s.Status == w3gs.SlotClosed:
		return texts.Of("nobody (closed)")
	}
	return texts.Of("nobody (open)")
}
