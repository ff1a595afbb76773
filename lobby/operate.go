package lobby

import (
	"fmt"
	"slices"

	"w3host/w3gs"
)

// operate carries out an operation or says why not.
func (l *Lobby) operate(op Operation) {
	if why := l.try(op); why != "" {
		l.emit(Refused{Op: op, Why: why})
	}
}

func (l *Lobby) try(op Operation) (why string) {
	if l.phase == phaseClosed {
		return "the lobby is closed"
	}
	switch op := op.(type) {
	case Say:
		return l.sayOperation(op)
	case Mute:
		return l.mute(op)
	case MuteAll:
		return l.muteEverybody(op)
	case SetOwner:
		return l.setOwner(op)
	case Kick:
		return l.kickOperation(op)
	}
	if l.phase == phaseStarted {
		return "the game has started"
	}
	switch op := op.(type) {
	case Start:
		return l.startOperation(op)
	case Abort:
		return l.abortOperation()
	case AutoStart:
		return l.autoStartOperation(op)
	case HCL:
		return l.setHCL(op.Text)
	case ClearHCL:
		l.hcl = ""
		return ""
	case Hold:
		return l.hold(op.Names)
	case Unhold:
		return l.unhold(op.Names)
	case Shutdown:
		l.shutdown(op)
		return ""
	}
	if l.phase == phaseCounting {
		return "the countdown runs: abort it first"
	}
	return l.trySlots(op)
}

// trySlots does what changes the table.
func (l *Lobby) trySlots(op Operation) (why string) {
	switch op := op.(type) {
	case Open:
		return l.each(op.Slots, l.open)
	case Close:
		return l.each(op.Slots, l.closeSlot)
	case OpenAll:
		l.setAll(w3gs.SlotClosed, w3gs.SlotOpen)
		return ""
	case CloseAll:
		l.setAll(w3gs.SlotOpen, w3gs.SlotClosed)
		return ""
	case Swap:
		return l.swap(op)
	case Shuffle:
		return l.shuffle()
	case Computer:
		return l.computer(op)
	case SetTeam:
		return l.occupied(op.Slot, func(i int) string { return l.changeTeam(i, op.Team) })
	case SetColour:
		return l.occupied(op.Slot, func(i int) string { return l.changeColour(i, op.Colour) })
	case SetRace:
		return l.occupied(op.Slot, func(i int) string { return l.changeRace(i, op.Race&^w3gs.RaceSelectable) })
	case SetHandicap:
		return l.occupied(op.Slot, func(i int) string { return l.changeHandicap(i, op.Handicap) })
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
	return "there is no such operation"
}

func (l *Lobby) checkSlot(i int) (why string) {
	if i < 0 || i >= len(l.slots) {
		return outOfRange("slot", 1, len(l.slots))
	}
	return ""
}

// outOfRange is the one wording for a number that is not possible here; package
// command has the same for numbers that never are.
func outOfRange(what string, low, high int) string {
	return fmt.Sprintf("the %s must be from %d to %d", what, low, high)
}

func noPlayer(pid uint8) string { return fmt.Sprintf("there is no player with pid %d", pid) }

// noHuman says so of a pid that is a fake player's or nobody's.
func (l *Lobby) noHuman(pid uint8) string {
	if pid < pidLimit && l.players[pid] != nil {
		return l.players[pid].name + " is a fake player"
	}
	return noPlayer(pid)
}

// each checks all slots before it changes one.
func (l *Lobby) each(slots []int, change func(int)) (why string) {
	for _, i := range slots {
		if why := l.checkSlot(i); why != "" {
			return why
		}
	}
	for _, i := range slots {
		change(i)
	}
	return ""
}

func (l *Lobby) occupied(i int, change func(int) string) (why string) {
	if why := l.checkSlot(i); why != "" {
		return why
	}
	if l.slots[i].Status != w3gs.SlotOccupied {
		return fmt.Sprintf("slot %d holds %s", i+1, l.occupant(i))
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
		l.kick(l.players[s.PID], Kick{Why: "the slot was taken back"})
	default:
		s.Status = w3gs.SlotOpen
	}
}

func (l *Lobby) closeSlot(i int) {
	l.open(i)
	l.slots[i].Status = w3gs.SlotClosed
}

func (l *Lobby) setAll(from, to w3gs.SlotStatus) {
	for i := range l.slots {
		if l.slots[i].Status == from {
			l.slots[i].Status = to
		}
	}
}

func (l *Lobby) swap(op Swap) (why string) {
	for _, i := range []int{op.A, op.B} {
		if why := l.checkSlot(i); why != "" {
			return why
		}
	}
	a, b := l.slots[op.A], l.slots[op.B]
	if !l.melee() && (a.Computer && b.Team == l.observer || b.Computer && a.Team == l.observer) {
		return "a computer cannot watch"
	}
	l.exchange(op.A, op.B, false)
	return ""
}

// shuffle deals the playing humans anew to their places. The team stays with the
// place in melee too, or nobody would get another one.
func (l *Lobby) shuffle() (why string) {
	var places []int
	for i, s := range l.slots {
		if l.human(s.PID) != nil && s.Team != l.observer {
			places = append(places, i)
		}
	}
	if len(places) < 2 {
		return "there are no two players to shuffle"
	}
	l.random.Shuffle(len(places), func(i, j int) { l.exchange(places[i], places[j], true) })
	return ""
}

func (l *Lobby) computer(op Computer) (why string) {
	if why := l.checkSlot(op.Slot); why != "" {
		return why
	}
	s := &l.slots[op.Slot]
	switch {
	case op.AI > w3gs.AIInsane:
		return "a computer is easy, normal or insane"
	case s.Computer:
		s.AI = op.AI
		return ""
	case !l.melee() && s.Team == l.observer:
		return "a computer cannot watch"
	case l.melee() && l.playing(op.Slot) >= int(l.cfg.PlayerSlots):
		return fmt.Sprintf("all %d start spots are taken", l.cfg.PlayerSlots)
	}
	l.open(op.Slot)
	l.seatComputer(op.Slot, op.AI)
	return ""
}

// fakePlayers seats n fake players or none.
func (l *Lobby) fakePlayers(n int) (why string) {
	if !l.hasRoom(n) {
		return fmt.Sprintf("there is no room for %d more", n)
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
	return ""
}

func (l *Lobby) deleteFake(pid uint8) (why string) {
	var fakes []*player
	for p := range l.seated {
		if p.fake && (pid == 0 || p.pid == pid) {
			fakes = append(fakes, p)
		}
	}
	if len(fakes) == 0 {
		return "there is no such fake player"
	}
	for _, p := range fakes {
		l.dismiss(p, "", "", "")
	}
	l.returnVirtualHost()
	return ""
}

func (l *Lobby) hold(names []string) (why string) {
	for _, name := range names {
		if why := checkName(name); why != "" {
			return fmt.Sprintf("%q cannot be held: %s", name, why)
		}
	}
	l.held = append(l.held, names...)
	l.letIn(func(k keptOut) bool {
		return slices.ContainsFunc(names, func(name string) bool { return sameName(k.name, name) })
	})
	return ""
}

func (l *Lobby) unhold(names []string) (why string) {
	for _, name := range names {
		if !slices.ContainsFunc(l.held, func(held string) bool { return sameName(held, name) }) {
			return fmt.Sprintf("no place is held for %q", name)
		}
	}
	l.held = slices.DeleteFunc(l.held, func(held string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return sameName(held, name) })
	})
	return ""
}
