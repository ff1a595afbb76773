package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"w3host/bots"
	"w3host/replay"
	"w3host/w3gs"
)

// readScript makes a script for bots of a replay: who was in it, by slots, and
// what they did. What follows a fault of the file is left out.
func readScript(file string) (*bots.Script, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := replay.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var pids []uint8
	for _, slot := range r.Start.Slots {
		if slot.PID != 0 {
			pids = append(pids, slot.PID)
		}
	}
	for _, p := range r.Start.Players { // official replays have no slots
		if !slices.Contains(pids, p.PID) {
			pids = append(pids, p.PID)
		}
	}
	s := &bots.Script{}
	for i, pid := range pids {
		s.Names = append(s.Names, seatName(r.Start.Players, pid, i, s.Names))
	}
	if len(s.Names) == 0 {
		return nil, fmt.Errorf("%s: nobody plays in it", file)
	}
	for {
		rec, err := r.Next()
		if err != nil {
			return s, nil
		}
		step := bots.Step{At: rec.Time}
		seat := func(pid uint8) bool {
			step.Seat = slices.Index(pids, pid)
			return step.Seat >= 0
		}
		switch rec.Kind {
		case replay.KindTurn, replay.KindTurnPart:
			for pid, data := range w3gs.Actions(rec.Commands) {
				if seat(pid) && len(data) > 0 && len(data) <= w3gs.MaxActionLen {
					step.Kind, step.Data = bots.StepAct, slices.Clone(data)
					s.Steps = append(s.Steps, step)
				}
			}
		case replay.KindChat:
			if rec.Chat.Flag == w3gs.ChatGame && seat(rec.Chat.PID) {
				step.Kind, step.Text, step.Scope = bots.StepSay, rec.Chat.Text, rec.Chat.Scope
				s.Steps = append(s.Steps, step)
			}
		case replay.KindLeave:
			if seat(rec.Leave.PID) {
				step.Kind, step.Leave = bots.StepLeave, rec.Leave.Result
				s.Steps = append(s.Steps, step)
			}
		}
	}
}

// seatName is a name that a lobby takes: of 1 to 15 bytes, and nobody else's.
func seatName(players []replay.Player, pid uint8, seat int, taken []string) string {
	name := ""
	for _, p := range players {
		if p.PID == pid {
			name = p.Name
		}
	}
	if len(name) > w3gs.MaxNameLen {
		name = strings.ToValidUTF8(name[:w3gs.MaxNameLen], "")
	}
	if name == "" || slices.ContainsFunc(taken, func(t string) bool { return strings.EqualFold(t, name) }) {
		name = fmt.Sprintf("player %d", seat+1)
	}
	return name
}
