package storage_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"w3host/storage"
)

// A game goes on in a second run of its host, which tells the last records again: each is
// there once, and the game is not taken for crashed.
func testToldAgain(t *testing.T, db *storage.Store) {
	enter(t, db, hostA, runA1, "alpha")
	k := storage.NewGameKey()
	numbered := func(n uint64, r storage.Record) storage.Record { return storage.KeyedRecord{Record: r, Number: n} }
	audit := storage.AdminAction{Game: k, At: after(2 * time.Minute), Who: "Ann", Via: "game", Action: "kick"}
	all := []storage.Record{
		numbered(65536, storage.GameCreated{Game: k, At: day, Name: "goes on"}),
		numbered(131072, storage.PlayerJoined{Game: k, At: day, PID: 2, Name: "Ann"}),
		numbered(196608, line(k, 1)), numbered(262144, line(k, 2)), numbered(262145, audit),
		numbered(327680, line(k, 3)),
	}
	apply(t, db, all[:5]...)
	n, err := db.EnterHost(t.Context(), storage.Host{ID: hostA, Run: runA2, Name: "alpha", GoOn: []storage.GameKey{k}})
	if n != 0 || err != nil {
		t.Errorf("%d games closed, %v", n, err)
	}
	applyAs(t, db, hostA, runA2, 1, all[2:]...)
	applyAs(t, db, hostA, runA2, 5, numbered(393216, storage.PlayerLeft{Game: k, At: after(time.Hour), PID: 2, Turn: 9}))
	g := game(t, db, k)
	if g.Ended != "" || len(said(g)) != 3 || len(g.People) != 1 || g.People[0].LeftTurn != 9 || len(g.Audit) != 1 {
		t.Errorf("%+v, said %q, people %+v, audit %+v", g.Game, said(g), g.People, g.Audit)
	}
	// A third run that does not know of it closes it.
	if n, err := db.EnterHost(t.Context(), storage.Host{ID: hostA, Run: storage.NewGameKey().String(), Name: "alpha"}); n != 1 || err != nil {
		t.Errorf("%d games closed, %v", n, err)
	}
}

// The spool holds numbered records as it holds others.
func TestNumberedInTheSpool(t *testing.T) {
	want := storage.KeyedRecord{Record: storage.PlayerJoined{Game: storage.NewGameKey(), At: day, PID: 3, Name: "Ann <b>"}, Number: 7 << 16}
	b, err := json.Marshal(want)
	var got storage.KeyedRecord
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %+v from %s", err, got, b)
	}
}
