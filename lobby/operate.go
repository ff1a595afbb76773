package lobby

import (
	"fmt"
	"slices"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// try carries out an operation, or returns why it is not possible in this phase.
func (l *Lobby) try(op Operation) *texts.Refusal {
	last := phaseOpen // last phase in which it is allowed
	switch op.(type) {
	case Say, Mute, MuteAll, SetHostMessages, SetChatFilter, Ignore, SetLanguage, SetOwner, Kick:
		last = phaseStarted
	case Start, Abort, AutoStart, Ready, HCL, Hold, LockJoins, Shutdown:
		last = phaseCounting
	}
	switch {
	case l.keeps(op):
		return texts.Refuse(texts.Fixed, "this is a saved game: its slots and players stay as they were")
	case l.phase <= last:
		return op.apply(l)
	case l.phase == phaseCounting:
		return texts.Refuse(texts.Counting, "the countdown is running: stop it with abort first")
	case l.phase == phaseStarted:
		return texts.Refuse(texts.TooLate, "the game has started")
	}
	return texts.Refuse(texts.TooLate, "the lobby is closed")
}

func (op SetSlots) apply(l *Lobby) *texts.Refusal {
	slots := op.Slots
	for i, s := range l.slots {
		if op.Slots == nil && s.Status != w3gs.SlotOccupied {
			slots = append(slots, i)
		}
	}
	if no := l.checkSlots(slots...); no != nil {
		return no
	}
	for _, i := range slots {
		if l.open(i); op.Closed {
			l.slots[i].Status = w3gs.SlotClosed
		}
	}
	return nil
}

// open opens a slot. It kicks a player in the slot and removes a computer.
func (l *Lobby) open(i int) {
	s := &l.slots[i]
	switch {
	case s.Computer:
		l.vacate(i)
	case s.Status == w3gs.SlotOccupied:
		l.kick(l.players[s.PID], Kick{Why: texts.Of("the slot was freed")})
	default:
		s.Status = w3gs.SlotOpen
	}
}

func (op Set) apply(l *Lobby) *texts.Refusal {
	if no := l.checkSlots(op.Slot); no != nil {
		return no
	}
	i, value := op.Slot, op.Value
	switch {
	case l.slots[i].Status != w3gs.SlotOccupied:
		return texts.Refuse(texts.NoSuch, "slot %d holds %v", i+1, l.occupant(i))
	case op.What == w3gs.ChatTeam:
		return l.changeTeam(i, value)
	case op.What == w3gs.ChatColour:
		return l.changeColour(i, value)
	case op.What == w3gs.ChatRace:
		return l.changeRace(i, w3gs.Race(value))
	}
	return l.changeHandicap(i, value)
}

func (op Observe) apply(l *Lobby) *texts.Refusal {
	if no := l.absent(op.PID); no != nil {
		return no
	}
	return l.changeTeam(l.slotOf(op.PID), l.observer)
}

func (l *Lobby) checkSlots(slots ...int) *texts.Refusal {
	for _, i := range slots {
		if i < 0 || i >= len(l.slots) {
			return outOfRange("slot", len(l.slots))
		}
	}
	return nil
}

// absent returns a refusal if the pid belongs to no player or to a fake player.
func (l *Lobby) absent(pid uint8) *texts.Refusal {
	switch p := l.player(pid); {
	case p == nil:
		return texts.Refuse(texts.NoSuch, "there is no player with pid %d", pid)
	case p.fake:
		return texts.Refuse(texts.NotHuman, "%s is a fake player", p.name)
	}
	return nil
}

// with calls do for a human player.
func (l *Lobby) with(pid uint8, do func(p *player)) *texts.Refusal {
	no := l.absent(pid)
	if no == nil {
		do(l.players[pid])
	}
	return no
}

func (op Swap) apply(l *Lobby) *texts.Refusal {
	if no := l.checkSlots(op.A, op.B); no != nil {
		return no
	}
	a, b := l.slots[op.A], l.slots[op.B]
	if !l.melee() && (a.Computer && b.Team == l.observer || b.Computer && a.Team == l.observer) {
		return texts.Refuse(texts.Fixed, "a computer cannot be an observer")
	}
	l.exchange(op.A, op.B, false)
	return nil
}

// Slots keep their teams in melee too; otherwise players would always keep theirs.
func (Shuffle) apply(l *Lobby) *texts.Refusal {
	places := l.playingPlaces()
	if len(places) < 2 {
		return texts.Refuse(texts.NoSuch, "shuffling needs at least two players")
	}
	l.random.Shuffle(len(places), func(i, j int) { l.exchange(places[i], places[j], true) })
	return nil
}

// playingPlaces returns the slots of the human players who are not observers.
func (l *Lobby) playingPlaces() (places []int) {
	for i, s := range l.slots {
		if l.human(s.PID) != nil && s.Team != l.observer {
			places = append(places, i)
		}
	}
	return places
}

func (op Arrange) apply(l *Lobby) *texts.Refusal {
	places := l.playingPlaces()
	var there w3gs.PIDs
	for _, place := range places {
		there |= w3gs.Only(l.slots[place].PID)
	}
	if len(op.PIDs) != len(places) || w3gs.Only(op.PIDs...) != there {
		return texts.Refuse(texts.Malformed, "the players have changed in the meantime")
	}
	for i, pid := range op.PIDs {
		if from := l.slotOf(pid); from != places[i] {
			l.exchange(places[i], from, true)
		}
	}
	return nil
}

func (op Computer) apply(l *Lobby) *texts.Refusal {
	if no := l.checkSlots(op.Slot); no != nil {
		return no
	}
	s := &l.slots[op.Slot]
	switch {
	case op.AI > w3gs.AIInsane:
		return texts.Refuse(texts.Malformed, "a computer is easy, normal or insane")
	case s.Computer:
		s.AI = op.AI
		return nil
	case !l.melee() && s.Team == l.observer:
		return texts.Refuse(texts.Fixed, "a computer cannot be an observer")
	case l.melee() && l.playing(op.Slot) >= int(l.cfg.PlayerSlots):
		return texts.Refuse(texts.Full, "all %d starting positions are taken", l.cfg.PlayerSlots)
	}
	l.open(op.Slot)
	l.seat(op.Slot, w3gs.Slot{Computer: true, AI: op.AI, Download: 100})
	return nil
}

// apply seats all the fake players or none.
func (op FakePlayer) apply(l *Lobby) *texts.Refusal {
	n := max(op.Count, 1)
	if c := l.Counts(); op.All {
		n = max(min(c.Open, int(l.cfg.Wire.MaxPID)-c.Players()), 1)
	}
	if !l.hasRoom(n) {
		return texts.Refuse(texts.Full, "there is no room for %d more", n)
	}
	names := l.absentees()
	for number := 1; len(names) < n; number++ {
		if name := fmt.Sprintf("Fake %d", number); l.named(name) == nil {
			names = append(names, name)
		}
	}
	for _, name := range names[:n] {
		l.show(l.enterFake(name))
	}
	return nil
}

// enterFake seats a fake player. In a saved game it takes the place of the player with this name.
func (l *Lobby) enterFake(name string) *player {
	p := &player{Join: Join{Req: w3gs.ReqJoin{Name: name}}, fake: true}
	for _, place := range l.cfg.Places {
		if l.cfg.Restored && place.Name == name {
			p.Realm = place.Realm
		}
	}
	return l.enter(p)
}

func (op DeleteFake) apply(l *Lobby) *texts.Refusal {
	fakes := slices.DeleteFunc(l.seated(true), func(p *player) bool { return op.PID != 0 && p.pid != op.PID })
	if len(fakes) == 0 {
		return texts.Refuse(texts.NoSuch, "there is no such fake player")
	}
	for _, p := range fakes {
		l.dismiss(p, texts.Text{}, "", "")
	}
	l.returnVirtualHost()
	return nil
}

// outOfRange refuses a number that is not possible in this lobby. Package command has the same wording for numbers that
// are never possible.
func outOfRange(what string, high int) *texts.Refusal {
	return texts.Refuse(texts.OutOfRange, "the %v must be from %d to %d", texts.Known(what), 1, high)
}
