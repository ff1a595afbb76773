package gamelog

import (
	"math"
	"reflect"
	"testing"
	"time"

	"w3host/game"
	"w3host/storage"
)

// What is told again has the numbers that it had, and only what may be lost is told again.
func TestAgain(t *testing.T) {
	facts := []game.Stamped{
		{Seq: 1, Fact: &game.Opened{Config: &game.Config{}}},
		{Seq: 2, Fact: &game.Joined{Player: game.Player{PID: 2, Name: "Ann"}}},
		{Seq: 3, Fact: &game.LeftLobby{Player: game.Player{PID: 2, Name: "Ann"}}},
	}
	var first, second tape
	opened := time.Now()
	r := NewRecords(&first, opened)
	r.NumberRecords()
	again := Resume(&second, r.Key(), opened, 1)
	for i := range facts {
		r.Observe(&facts[i])
		again.Observe(&facts[i])
	}
	if len(first.records) != 3 || !reflect.DeepEqual(first.records[1:], second.records) {
		t.Errorf("told %+v, and again %+v", first.records, second.records)
	}
	if n := first.records[1].(storage.KeyedRecord).Number; n != 2*atOnce || r.Fact() != 3 {
		t.Errorf("number %d, last fact %d", n, r.Fact())
	}
}

// A game that cannot be rebuilt has its end in the log, though its earlier events were stored by the process before and
// are not observed again. Records whose end another Records stores, as those of the running game while the recorders catch up, store none.
func TestEndOfAGameThatCannotBeRebuilt(t *testing.T) {
	for known, want := range map[uint64]int{0: 1, 7: 1, math.MaxUint64: 0} {
		var to tape
		r := Resume(&to, storage.NewGameKey(), time.Now(), known)
		r.Crashed(time.Now(), "the host has died in it 3 times in a row")
		if len(to.records) != want {
			t.Errorf("event %d was the last stored: %+v", known, to.records)
			continue
		}
		for _, r := range to.records {
			end, ok := r.(storage.KeyedRecord)
			if _, is := end.Record.(storage.GameEnded); !ok || !is || end.Number != (known+1)*atOnce+atOnce-1 {
				t.Errorf("event %d was the last stored: %+v", known, r)
			}
		}
	}
}
