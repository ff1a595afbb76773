package lobby

import (
	"fmt"
	"slices"

	"w3host/texts"
	"w3host/w3gs"
)

// operate carries out an operation or says why not.
func (l *Lobby) operate(op Operation) {
	if no := l.try(op); no != nil {
		l.emit(no)
	}
}

func (l *Lobby) try(op Operation) *Refusal {
	if l.phase == phaseClosed {
		return Refuse(TooLate, "the lobby is closed")
	}
	switch op := op.(type) {
	case Say:
		return l.sayOperation(op)
	case Mute:
		return l.mute(op)
	case Hear:
		return l.hear(op)
	case SetLanguage:
		return l.setLanguage(op)
	case MuteAll:
		return l.muteEverybody(op)
	case SetOwner:
		return l.setOwner(op)
	case Kick:
		return l.kickOperation(op)
	}
	if l.phase == phaseStarted {
		return Refuse(TooLate, "the game has started")
	}
	switch op := op.(type) {
	case Start:
		return l.startOperation(op)
	case Abort:
		return l.abortOperation()
	case AutoStart:
		return l.autoStartOperation(op)
	case Ready:
		return l.setReady(op)
	case HCL:
		return l.setHCL(op.Text)
	case Hold:
		return l.hold(op.Names)
	case Unhold:
		return l.unhold(op.Names)
	case Shutdown:
		l.shutdown(op)
		return nil
	}
	if l.phase == phaseCounting {
		return Refuse(Counting, "the countdown runs: abort it first")
	}
	return l.trySlots(op)
}

// trySlots does what changes the table.
func (l *Lobby) trySlots(op Operation) *Refusal {
	switch op := op.(type) {
	case Open:
		return l.each(op.Slots, l.open)
	case Close:
		return l.each(op.Slots, l.closeSlot)
	case SetAll:
		return l.setAll(op.Closed)
	case Swap:
		return l.swap(op)
	case Shuffle:
		return l.shuffle()
	case Arrange:
		return l.arrange(op.PIDs)
	case Computer:
		return l.computer(op)
	case Set:
		return l.occupied(op.Slot, func(i int) *Refusal { return l.change(i, op.What, op.Value) })
	case Observe:
		if l.human(op.PID) == nil {
			return l.noHuman(op.PID)
		}
		return l.changeTeam(l.slotOf(op.PID), l.observer)
	case FakePlayer:
		return l.fakePlayers(max(op.Count, 1))
	case DeleteFake:
		return l.deleteFake(op.PID)
	}
	return Refuse(NoSuch, "there is no such operation")
}

func (l *Lobby) checkSlot(i int) *Refusal {
	if i < 0 || i >= len(l.slots) {
		return outOfRange("slot", 1, len(l.slots))
	}
	return nil
}

// noHuman refuses what a fake player, or a pid without a player, cannot do.
func (l *Lobby) noHuman(pid uint8) *Refusal {
	if pid < pidLimit && l.players[pid] != nil {
		return Refuse(NotHuman, "%s is a fake player", l.players[pid].name)
	}
	return noPlayer(pid)
}

// each checks all slots before it changes one.
func (l *Lobby) each(slots []int, change func(int)) *Refusal {
	for _, i := range slots {
		if no := l.checkSlot(i); no != nil {
			return no
		}
	}
	for _, i := range slots {
		change(i)
	}
	return nil
}

func (l *Lobby) occupied(i int, change func(int) *Refusal) *Refusal {
	if no := l.checkSlot(i); no != nil {
		return no
	}
	if l.slots[i].Status != w3gs.SlotOccupied {
		return Refuse(NoSuch, "slot %d holds %v", i+1, l.occupant(i))
	}
	return change(i)
}

// open opens a slot, whoever is in it.
func (l *Lobby) open(i int) {
	s := &l.slots[i]
	switch {
	case s.Computer:
		l.vacate(i)
	case s.Status == w3gs.SlotOccupied:
		l.kick(l.players[s.PID], Kick{Why: texts.Of("the slot was taken back")})
	default:
		s.Status = w3gs.SlotOpen
	}
}

func (l *Lobby) closeSlot(i int) {
	l.open(i)
	l.slots[i].Status = w3gs.SlotClosed
}

func (l *Lobby) setAll(closed bool) *Refusal {
	from, to := w3gs.SlotClosed, w3gs.SlotOpen
	if closed {
		from, to = to, from
	}
	for i := range l.slots {
		if l.slots[i].Status == from {
			l.slots[i].Status = to
		}
	}
	return nil
}

func (l *Lobby) swap(op Swap) *Refusal {
	for _, i := range []int{op.A, op.B} {
		if no := l.checkSlot(i); no != nil {
			return no
		}
	}
	a, b := l.slots[op.A], l.slots[op.B]
	if !l.melee() && (a.Computer && b.Team == l.observer || b.Computer && a.Team == l.observer) {
		return Refuse(Fixed, "a computer cannot watch")
	}
	l.exchange(op.A, op.B, false)
	return nil
}

// shuffle deals the playing humans anew to their places. The team stays with the
// place in melee too, or nobody would get another one.
func (l *Lobby) shuffle() *Refusal {
	places := l.playingPlaces()
	if len(places) < 2 {
		return Refuse(NoSuch, "there are no two players to shuffle")
	}
	l.random.Shuffle(len(places), func(i, j int) { l.exchange(places[i], places[j], true) })
	return nil
}

func (l *Lobby) computer(op Computer) *Refusal {
	if no := l.checkSlot(op.Slot); no != nil {
		return no
	}
	s := &l.slots[op.Slot]
	switch {
	case op.AI > w3gs.AIInsane:
		return Refuse(Malformed, "a computer is easy, normal or insane")
	case s.Computer:
		s.AI = op.AI
		return nil
	case !l.melee() && s.Team == l.observer:
		return Refuse(Fixed, "a computer cannot watch")
	case l.melee() && l.playing(op.Slot) >= int(l.cfg.PlayerSlots):
		return Refuse(Full, "all %d start spots are taken", l.cfg.PlayerSlots)
	}
	l.open(op.Slot)
	l.seatComputer(op.Slot, op.AI)
	return nil
}

// fakePlayers seats n fake players or none.
func (l *Lobby) fakePlayers(n int) *Refusal {
	if !l.hasRoom(n) {
		return Refuse(Full, "there is no room for %d more", n)
	}
	for number := 1; n > 0; number++ {
		name := fmt.Sprintf("Fake %d", number)
		if l.named(name) != nil {
			continue
		}
		p := l.enter(&player{name: name, fake: true, joined: l.now})
		l.broadcast(l.Humans(), l.info(p))
		n--
	}
	return nil
}

func (l *Lobby) deleteFake(pid uint8) *Refusal {
	var fakes []*player
	for p := range l.seated {
		if p.fake && (pid == 0 || p.pid == pid) {
			fakes = append(fakes, p)
		}
	}
	if len(fakes) == 0 {
		return Refuse(NoSuch, "there is no such fake player")
	}
	for _, p := range fakes {
		l.dismiss(p, texts.Text{}, "", "")
	}
	l.returnVirtualHost()
	return nil
}

func (l *Lobby) hold(names []string) *Refusal {
	for _, name := range names {
		if why := checkName(name); !why.Empty() {
			return Refuse(Malformed, "%q cannot be held: %v", name, why)
		}
	}
	l.held = append(l.held, names...)
	l.letIn(func(k keptOut) bool {
		return slices.ContainsFunc(names, func(name string) bool { return sameName(k.name, name) })
	})
	return nil
}

func (l *Lobby) unhold(names []string) *Refusal {
	for _, name := range names {
		if !slices.ContainsFunc(l.held, func(held string) bool { return sameName(held, name) }) {
			return Refuse(NoSuch, "no place is held for %q", name)
		}
	}
	l.held = slices.DeleteFunc(l.held, func(held string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return sameName(held, name) })
	})
	return nil
}
