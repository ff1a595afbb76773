package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"w3host/formats/replay"
	"w3host/lobby"
	"w3host/record/recording"
	"w3host/spectate"
	"w3host/texts"
)

var (
	errAllAct = errors.New("all its players act, and a client in the seat of an acting player would compute another game; viewers need the seat of a fake player (!fakeplayer) or of an observer who does nothing")
	errNoSeat = errors.New("it has no seat for viewers; the host needs [watch] enabled and a free slot when the game starts")
	errNobody = errors.New("no player has a slot in it")
)

// chooseSeat returns the seat that viewers get: that of the player named by --seat, or one that never acted. In a
// running game only the seat that the host reserves for viewers is certain never to act.
func (c *watchCall) chooseSeat(file string, start *replay.Start) (pid uint8, name string, err error) {
	names := map[uint8]string{}
	var all []string
	for _, s := range start.Slots {
		i := slices.IndexFunc(start.Players, func(p replay.Player) bool { return p.PID == s.PID && s.PID != 0 })
		if i < 0 {
			continue
		}
		names[s.PID] = start.Players[i].Name
		all = append(all, names[s.PID])
		if strings.EqualFold(names[s.PID], c.seat) {
			pid = s.PID
		}
	}
	conducts, err := conductsIn(file)
	switch idle := spectate.IdleSeats(start, conducts, c.version.ObserverTeam()); {
	case err != nil:
		return 0, "", err
	case all == nil:
		return 0, "", errNobody
	case c.seat != "" && pid == 0:
		return 0, "", fmt.Errorf("it has no player %q; its players are: %s", c.seat, strings.Join(all, ", "))
	case c.acting:
	case recording.IsPart(file):
		if pid = watchersIn(names, idle); pid == 0 || c.seat != "" && !strings.EqualFold(names[pid], c.seat) {
			return 0, "", errNoSeat
		}
	case pid != 0 && conducts[pid].Acts:
		return 0, "", fmt.Errorf("%s acts from %s on, and a client in that seat would compute another game from there; leave --seat out, or add --acting for the experiment in docs/watching.md",
			names[pid], texts.Clock(conducts[pid].First))
	case pid == 0 && len(idle) == 0:
		return 0, "", errAllAct
	case pid == 0:
		pid = idle[0]
	}
	return pid, names[pid], nil
}

// watchersIn returns the pid of the seat that the host reserves for viewers if it has not acted so far, or 0.
func watchersIn(names map[uint8]string, idle []uint8) uint8 {
	for _, pid := range idle {
		if names[pid] == lobby.WatchersName {
			return pid
		}
	}
	return 0
}

// conductsIn reads when the players of a recording acted.
func conductsIn(file string) (map[uint8]spectate.Conduct, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) { // the game has ended meanwhile
		f, err = os.Open(recording.FinalOf(file))
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := replay.NewReader(f)
	if err != nil {
		return nil, err
	}
	return spectate.Conducts(r), nil
}
