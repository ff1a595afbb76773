package main

import (
	"fmt"
	"slices"
	"strings"

	"w3host/bots"
	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// readScript converts a replay into a script for bots: its players in slot order and their actions. The script ends at
// the first fault of the file.
func readScript(file string) (*bots.Script, error) {
	r, f, err := readReplay(file)
	if err != nil {
		return nil, failed(file, err)
	}
	defer f.Close()
	pids, s := seatsOf(&r.Start), &bots.Script{}
	for i, pid := range pids {
		s.Names = append(s.Names, seatName(r.Start.Players, pid, i, s.Names))
	}
	if len(s.Names) == 0 {
		return nil, fmt.Errorf("%s: the replay has no players", file)
	}
	for rec, err := range r.Records() {
		if err != nil {
			break // the records before the fault can be played
		}
		s.Steps = appendSteps(s.Steps, pids, rec)
	}
	return s, nil
}

// seatsOf returns the pids of the players in slot order, followed by players without a slot: replays of official games
// list no slots.
func seatsOf(start *replay.Start) (pids []uint8) {
	for _, slot := range start.Slots {
		if slot.PID != 0 {
			pids = append(pids, slot.PID)
		}
	}
	for _, p := range start.Players {
		if !slices.Contains(pids, p.PID) {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

// appendSteps appends the actions, chat lines and leaves of one record.
func appendSteps(steps []bots.Step, pids []uint8, rec *replay.Record) []bots.Step {
	add := func(pid uint8, step bots.Step) {
		if step.Seat = slices.Index(pids, pid); step.Seat >= 0 {
			step.At = rec.Time
			steps = append(steps, step)
		}
	}
	switch rec.Kind {
	case replay.KindTurn, replay.KindTurnPart:
		for pid, data := range w3gs.Actions(rec.Commands) {
			if len(data) > 0 && len(data) <= w3gs.MaxActionLen {
				add(pid, bots.Step{Kind: bots.StepAct, Data: slices.Clone(data)})
			}
		}
	case replay.KindChat:
		if rec.Chat.Flag == w3gs.ChatGame {
			add(rec.Chat.PID, bots.Step{Kind: bots.StepSay, Text: rec.Chat.Text, Scope: rec.Chat.Scope})
		}
	case replay.KindLeave:
		add(rec.Leave.PID, bots.Step{Kind: bots.StepLeave, Leave: rec.Leave.Result})
	}
	return steps
}

// seatName returns a unique name of 1 to 15 bytes, which lobbies accept, for the player with this pid.
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
