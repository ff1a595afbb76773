package lobby

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// show prints effects, a line each.
func (r *runner) show(effects []Effect) (lines []string) {
	for _, e := range effects {
		switch e := e.(type) {
		case Send:
			lines = append(lines, fmt.Sprintf("to %d: %s", e.PID, r.packet(e.Packet)))
		case Broadcast:
			lines = append(lines, fmt.Sprintf("to %v: %s", slices.Collect(e.To.All()), r.packet(e.Packet)))
		case *texts.Refusal:
			lines = append(lines, fmt.Sprintf("Refused %s: %s", r.command, e.Text))
		case Started:
			r.places = e.Places
			lines = append(lines, fmt.Sprintf("Started players=%v fakes=%v hcl=%q", names(e.Players), names(e.Fakes), e.HCL))
		default:
			v := reflect.Indirect(reflect.ValueOf(e)).Interface()
			lines = append(lines, fmt.Sprintf("%T%+v", v, v)[len("lobby."):])
		}
	}
	return lines
}

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
