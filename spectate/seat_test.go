package spectate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// TestIdleSeats: a record can be shown from the seats of those who never acted, of whom those who stay are first, and among
// them observers. A leave of its own ends the view.
func TestIdleSeats(t *testing.T) {
	var file buffer
	start := &replay.Start{GameName: "Evening", SlotCount: 6}
	for pid := range uint8(6) {
		start.Players = append(start.Players, replay.Player{PID: pid + 1, Name: fmt.Sprint("P", pid+1), Extra: []byte{0}})
		slot := w3gs.Slot{PID: pid + 1, Status: w3gs.SlotOccupied, Team: pid % 2, Colour: pid}
		if pid >= 4 {
			slot.Team, slot.Colour = w3gs.ObserverTeam, w3gs.ObserverTeam
		}
		start.Slots = append(start.Slots, slot)
	}
	w, err := replay.NewWriter(&file, replay.HostOf(replay.ProductExpansion, 26), start)
	for n := range 100 {
		var actions []byte
		if n == 30 {
			actions = w3gs.AppendAction(nil, 2, []byte{1})
		}
		if n == 50 && err == nil {
			err = errors.Join(w.Part(w3gs.AppendAction(nil, 5, []byte{1})), w.Left(1, w3gs.LeaveLost))
		}
		if err == nil {
			err = w.Turn(100*time.Millisecond, actions)
		}
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	r, err := replay.NewReader(bytes.NewReader(file.b))
	if err != nil {
		t.Fatal(err)
	}
	conducts := Conducts(r)
	if got := IdleSeats(&r.Start, conducts, w3gs.ObserverTeam); !slices.Equal(got, []uint8{6, 3, 4, 1}) {
		t.Errorf("idle %v", got)
	}
	if c := conducts[2]; !c.Acts || c.First != 3*time.Second || c.Left {
		t.Errorf("player 2 %+v", c)
	}
	if c := conducts[1]; c.Acts || !c.Left || c.Until != 5*time.Second {
		t.Errorf("player 1 %+v", c)
	}
}
