package gamelog

import (
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
