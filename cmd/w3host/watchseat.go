package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"w3host/formats/replay"
	"w3host/lobby"
	"w3host/past"
	"w3host/record/recording"
	"w3host/texts"
)

var (
	errAllAct = errors.New("everybody in it acts, and a client in the seat of somebody who acts would compute another game: a fake player (!fakeplayer) or an observer who does nothing has a seat from which it can be watched")
	errNoSeat = errors.New("it has no seat for watchers: the host needs [watch] enabled, and a free slot when the game starts")
	errNobody = errors.New("nobody has a slot in it: such games cannot be watched")
)

// chooseSeat finds the seat from which a record is shown: that of the player called --seat, or one that never acted. Of
// a game that is still played only the seat that its host keeps for watchers will never act.
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
	switch idle := past.IdleSeats(start, conducts, c.version.ObserverTeam()); {
	case err != nil:
		return 0, "", err
	case all == nil:
		return 0, "", errNobody
	case c.seat != "" && pid == 0:
		return 0, "", fmt.Errorf("nobody in it is called %q: it is %s", c.seat, strings.Join(all, ", "))
	case c.acting:
	case recording.IsPart(file):
		if pid = watchersIn(names, idle); pid == 0 || c.seat != "" && !strings.EqualFold(names[pid], c.seat) {
			return 0, "", errNoSeat
		}
	case pid != 0 && conducts[pid].Acts:
		return 0, "", fmt.Errorf("%s acts from %s on, and a client in that seat would compute another game from there: leave --seat out, or add --acting for the experiment in docs/watching.md",
			names[pid], texts.Clock(conducts[pid].First))
	case pid == 0 && len(idle) == 0:
		return 0, "", errAllAct
	case pid == 0:
		pid = idle[0]
	}
	return pid, names[pid], nil
}

// watchersIn is the seat that a host keeps for watchers, if it has not acted so far; 0: there is none.
func watchersIn(names map[uint8]string, idle []uint8) uint8 {
	for _, pid := range idle {
		if names[pid] == lobby.WatchersName {
			return pid
		}
	}
	return 0
}

// conductsIn reads what the players of a file have done.
func conductsIn(file string) (map[uint8]past.Conduct, error) {
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
	return past.Conducts(r), nil
}
