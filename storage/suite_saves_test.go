package storage_test

import (
	"reflect"
	"testing"
	"time"

	"w3host/storage"
)

// testWhoPlayed finds the players of a saved game by the map, the seed and the slots of its beginning.
func testWhoPlayed(t *testing.T, db *storage.Store) {
	key, other, lobby := storage.NewGameKey(), storage.NewGameKey(), storage.NewGameKey()
	created := storage.GameCreated{Game: key, At: day, Seed: 0xFFFFFFFE, Map: storage.MapID{SHA1: storage.SHA1{1, 2, 3}, Checksum: 7}}
	again, never := created, created
	again.Game, never.Game = other, lobby
	slots := []storage.StartedSlot{
		{Slot: 0, PID: 3, Occupant: storage.OccupantPlayer, Name: "Ann", Realm: "Home"},
		{Slot: 2, PID: 2, Occupant: storage.OccupantPlayer, Name: "Bob"},
		{Slot: 3, Occupant: storage.OccupantComputer},
		{Slot: 4, PID: 5, Occupant: storage.OccupantFake, Name: "Fake 1"},
	}
	swapped := []storage.StartedSlot{slots[0], slots[1]}
	swapped[0].PID, swapped[1].PID = 2, 3
	apply(
		t, db, created,
		storage.PlayerJoined{Game: key, At: day, PID: 3, Name: "Ann"},
		storage.PlayerJoined{Game: key, At: day, PID: 2, Name: "Gone"}, storage.PlayerLeft{Game: key, At: day, PID: 2},
		storage.PlayerJoined{Game: key, At: after(time.Second), PID: 2, Name: "Bob"},
		storage.GameStarted{Game: key, At: after(time.Minute), Slots: slots},
		again, storage.GameStarted{Game: other, At: after(time.Minute), Slots: swapped},
		never,
	)
	b := storage.Beginning{MapSHA1: created.Map.SHA1, HasSHA1: true, Seed: created.Seed, PIDs: map[int]uint8{0: 3, 2: 2, 4: 5}}
	want := []storage.SeatOf{{Slot: 0, PID: 3, Name: "Ann", Realm: "Home"}, {Slot: 2, PID: 2, Name: "Bob"}, {Slot: 4, PID: 5, Name: "Fake 1", Fake: true}}
	older, without := b, b
	without.PIDs = map[int]uint8{0: 3, 4: 5} // Bob left before it was saved
	older.HasSHA1, older.Checksum = false, 7
	for _, b := range []storage.Beginning{b, older, without} {
		if seats, err := db.WhoPlayed(t.Context(), b); err != nil || !reflect.DeepEqual(seats, want) {
			t.Errorf("%+v: %+v, %v", b, seats, err)
		}
	}
	for _, change := range []func(*storage.Beginning){
		func(b *storage.Beginning) { b.Seed++ },
		func(b *storage.Beginning) { b.MapSHA1[0]++ },
		func(b *storage.Beginning) { b.PIDs = map[int]uint8{0: 2, 2: 3, 4: 5} },
		func(b *storage.Beginning) { b.PIDs = map[int]uint8{0: 3, 2: 2, 4: 6} },
		func(b *storage.Beginning) { b.HasSHA1 = false },
	} {
		b := b
		change(&b)
		seats, err := db.WhoPlayed(t.Context(), b)
		wantError(t, "another game", err, storage.ErrNotFound, "")
		if seats != nil {
			t.Errorf("%+v: %+v", b, seats)
		}
	}
}

// testSaves lists what was saved, of one player's games or of all.
func testSaves(t *testing.T, db *storage.Store) {
	first, second := storage.NewGameKeyAt(day), storage.NewGameKeyAt(after(time.Hour))
	ann := storage.StartedSlot{Slot: 0, PID: 2, Occupant: storage.OccupantPlayer, Name: "Ann"}
	bob := storage.StartedSlot{Slot: 1, PID: 3, Occupant: storage.OccupantPlayer, Name: "Bob"}
	save := storage.SaveEvent{Game: first, At: after(time.Minute), Turn: 20500, PID: 2, File: "friday.w3z", Played: 34*time.Minute + 10*time.Second}
	later, other := save, save
	later.File, later.Turn = "later.w3z", 20600
	other.Game = second
	apply(
		t, db,
		storage.GameCreated{Game: first, At: day, Map: storage.MapID{Name: "Echo Isles"}}, storage.GameStarted{Game: first, At: day, Slots: []storage.StartedSlot{ann, bob}},
		save, later,
		storage.GameCreated{Game: second, At: day}, storage.GameStarted{Game: second, At: day, Slots: []storage.StartedSlot{bob}}, other,
	)
	listed := func(e storage.SaveEvent, mapName, players string) storage.SavedGame {
		return storage.SavedGame{Game: e.Game, File: e.File, At: e.At, PlayedMS: e.Played.Milliseconds(), Map: mapName, Players: players}
	}
	for player, want := range map[string][]storage.SavedGame{
		"ANN": {listed(later, "Echo Isles", "Ann, Bob"), listed(save, "Echo Isles", "Ann, Bob")},
		"":    {listed(other, "", "Bob"), listed(later, "Echo Isles", "Ann, Bob")},
		"Cid": {},
	} {
		saves, err := db.Saves(t.Context(), player, 2)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "saves of "+player, saves, want)
	}
	equal(t, "saves of the game", game(t, db, first).Saves, []storage.SaveEvent{save, later})
}
