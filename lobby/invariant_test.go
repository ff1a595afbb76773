package lobby

import (
	"testing"

	"w3host/protocol/w3gs"
)

// checkInvariants holds after every event, whatever happened.
func (r *runner) checkInvariants(t *testing.T) {
	t.Helper()
	if r.l == nil || r.l.phase == phaseClosed {
		return
	}
	for _, fault := range faults(r.l) {
		t.Error(fault)
	}
}

func faults(l *Lobby) (list []string) {
	fail := func(cond bool, what string) {
		if cond {
			list = append(list, what)
		}
	}
	if l.phase == phaseClosed {
		return nil
	}
	fail(len(l.slots) != len(l.cfg.Slots), "the table changed its size")
	var colours, seated w3gs.PIDs
	for i, s := range l.slots {
		if l.cfg.Restored {
			was := l.cfg.Places[i].Slot
			fail(s.PID != 0 && s.PID != was.PID, "a player with another pid than in the saved game")
			fail(s.Team != was.Team || s.Colour != was.Colour || s.Race != was.Race || s.Handicap != was.Handicap || s.Computer != was.Computer, "a slot that is not as it was saved")
		}
		fail((s.PID != 0) && (s.Status != w3gs.SlotOccupied || s.Computer), "a pid in a slot without a player")
		fail(s.Status == w3gs.SlotOccupied && !s.Computer && s.PID == 0, "an occupied slot without a pid")
		fail(s.Computer && s.Team == l.observer, "a computer watches")
		fail(s.Computer && s.Status != w3gs.SlotOccupied, "a computer in a slot that is not occupied")
		if s.PID != 0 {
			fail(seated.Has(s.PID), "one player in two slots")
			seated |= w3gs.Only(s.PID)
			fail(l.phase != phaseStarted && l.players[s.PID] == nil, "a slot of somebody who is gone")
		}
		if s.Team == l.observer {
			seat := l.players[s.PID]
			viewers := seat != nil && seat.name == WatchersName && l.version().Reforged() // from 1.32 on that seat has colour 0
			fail(s.Colour != l.observer && !viewers, "an observer with a colour")
			continue
		}
		fail(s.Colour >= l.cfg.Wire.MaxPID, "a colour out of range")
		fail(colours.Has(s.Colour), "two slots of one colour")
		colours |= w3gs.Only(s.Colour)
	}
	for pid, p := range l.players {
		if p == nil {
			continue
		}
		fail(int(p.pid) != pid || pid == 0 || pid > int(l.cfg.Wire.MaxPID), "a player under another pid")
		fail(!seated.Has(p.pid), "a player without a slot")
		fail(p.pid == l.vhost, "a player with the virtual host's pid")
		for _, q := range l.players[:pid] {
			fail(q != nil && sameName(p.name, q.name), "two players of one name")
		}
	}
	fail(l.playing(-1) > int(l.cfg.PlayerSlots) && l.cfg.Observers, "more players than start spots")
	if l.phase < phaseStarted {
		c := l.Counts()
		fail(c.Open+c.Closed+c.Humans+c.Fakes+c.Computers != c.Total, "the counts do not add up")
		full := true
		for pid := range l.cfg.Wire.MaxPID {
			full = full && (l.players[pid+1] != nil || l.savedPID(pid+1))
		}
		fail(l.cfg.Voice.VirtualHost != "" && (l.vhost == 0) != full, "the virtual host is away without need, or here without a pid")
	}
	return list
}
