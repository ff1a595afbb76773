package lobby

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"w3host/protocol/w3gs"
)

func (r *runner) tell(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *runner) name(pid uint8) string { return r.l.players[pid].name }

func (r *runner) Send(to w3gs.PIDs, p w3gs.Packet) {
	r.tell("to %v: %s", slices.Collect(to.All()), r.packet(p))
}

func (r *runner) Joined(j *Join, pid uint8, slot int) {
	r.tell("Joined{Conn:%d PID:%d Slot:%d Name:%s}", j.Conn, pid, slot, j.Req.Name)
}

func (r *runner) Rejected(j *Join, reason w3gs.RejectReason, why string) {
	r.tell("Rejected{Conn:%d Reason:%v Name:%s Why:%s}", j.Conn, reason, j.Req.Name, why)
}

func (r *runner) NeedsMap(pid uint8, have uint32) { r.tell("NeedsMap{PID:%d Have:%d}", pid, have) }

func (r *runner) Kicked(pid uint8, slot int, why, by string) {
	r.tell("Kicked{PID:%d Slot:%d Name:%s Why:%s By:%s}", pid, slot, r.name(pid), why, by)
}

func (r *runner) Left(pid uint8, reason w3gs.LeaveReason, lost bool) {
	r.tell("Left{PID:%d Slot:%d Name:%s Reason:%v Lost:%v}", pid, r.l.slotOf(pid), r.name(pid), reason, lost)
}

func (r *runner) Said(line Said) { r.tell("Said%+v", line) }

func (r *runner) Flooded(pid uint8, mute time.Duration) {
	r.tell("Flooded{PID:%d Name:%s For:%v}", pid, r.name(pid), mute)
}

func (r *runner) Fact(f Fact) {
	v := reflect.Indirect(reflect.ValueOf(f)).Interface()
	r.tell("%s", fmt.Sprintf("%T%+v", v, v)[len("lobby."):])
}

func (r *runner) Started(s Started) {
	r.places = s.Places
	r.tell("Started players=%v fakes=%v hcl=%q", names(s.Players), names(s.Fakes), s.HCL)
	if s.Unwatched != "" {
		r.tell("unwatched: %s", s.Unwatched)
	}
}

func (r *runner) Closed(why string) { r.tell("Closed{Why:%s}", why) }

func names(players []Player) (list []string) {
	for _, p := range players {
		list = append(list, p.Name)
	}
	return list
}

func (r *runner) packet(p w3gs.Packet) string {
	if r.hex {
		return fmt.Sprintf("% X", p.AppendTo(nil))
	}
	op := fmt.Sprintf("%02X ", uint8(p.Op()))
	switch p := p.(type) {
	case *w3gs.SlotInfoJoin:
		return op + fmt.Sprintf("pid %d\n  ", p.PID) + strings.Join(showTable(p.Slots), "\n  ")
	case *w3gs.SlotInfo:
		return op[:2] + "\n  " + strings.Join(showTable(p.Slots), "\n  ")
	case *w3gs.PlayerInfo:
		return op + fmt.Sprintf("pid %d %s", p.PID, p.Name)
	case *w3gs.PlayerLeave:
		return op + fmt.Sprintf("pid %d reason %d", p.PID, uint32(p.Reason))
	case *w3gs.KickPlayer:
		return op + fmt.Sprintf("reason %d", uint32(p.Reason))
	case *w3gs.MapCheck:
		return op + p.Path
	case *w3gs.PingFromHost:
		return op + fmt.Sprint(p.Tick)
	case *w3gs.PlayerExtra:
		return op + fmt.Sprintf("%s of %d, %d bytes", map[w3gs.ExtraKind]string{3: "profile", 4: "skins", 5: "pair"}[p.Kind], p.PID(), len(p.Data))
	case *w3gs.GameLoaded:
		return op + fmt.Sprintf("pid %d", p.PID)
	case *w3gs.ChatFromHost:
		line := op + fmt.Sprintf("%d to %v flag %02X", p.From, p.To, uint8(p.Flag))
		if p.Flag == w3gs.ChatGame {
			line += fmt.Sprintf(" scope %d", uint32(p.Scope))
		}
		return line + fmt.Sprintf(" %q", p.Text)
	}
	return strings.TrimSpace(op)
}

// showTable prints a slot a line.
func showTable(slots []w3gs.Slot) (lines []string) {
	for i, s := range slots {
		who := "closed"
		switch {
		case s.Status == w3gs.SlotOpen:
			who = "open"
		case s.Computer:
			who = fmt.Sprintf("computer %d", uint8(s.AI))
		case s.Status == w3gs.SlotOccupied:
			who = fmt.Sprintf("pid %d", s.PID)
		}
		lines = append(lines, fmt.Sprintf("%2d %-10s %3d%% team %d colour %d race %02X handicap %d",
			i+1, who, s.Download, s.Team, s.Colour, uint8(s.Race), s.Handicap))
	}
	return lines
}
