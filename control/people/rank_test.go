package people

import (
	"strings"
	"testing"
	"time"

	"w3host/game/command"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// TestRank asks for the ratings that one game has made.
func TestRank(t *testing.T) {
	db := storagetest.Open(t, storagetest.SQLite(t))
	rank := func(name, mapName string) string {
		t.Helper()
		text, err := Directory{DB: db}.Ask(t.Context(), command.Query{What: "rank", Name: name, Map: mapName})
		if err != nil {
			t.Error(err)
		}
		return text
	}
	if got := rank("Ann", "DotA v6"); got != "Ann has no rating on this map yet." {
		t.Errorf("before a game: %q", got)
	}
	play := func() {
		k := storage.NewGameKey()
		apply(t, db,
			storage.GameCreated{Game: k, Map: storage.MapID{Name: "DotA v6.83"}},
			storage.PlayerJoined{Game: k, PID: 1, Name: "Ann"},
			storage.PlayerJoined{Game: k, PID: 2, Name: "Bob"},
			storage.GameStarted{Game: k, Slots: []storage.StartedSlot{
				{PID: 1, Name: "Ann", Occupant: storage.OccupantPlayer}, {Slot: 1, PID: 2, Team: 1, Name: "Bob", Occupant: storage.OccupantPlayer},
			}},
			storage.PlayerResult{Game: k, PID: 1, Name: storage.ResultOutcome, Value: storage.OutcomeWon},
			storage.PlayerResult{Game: k, PID: 2, Name: storage.ResultOutcome, Value: storage.OutcomeLost},
			storage.GameEnded{Game: k, At: time.Now(), How: storage.EndFinished},
		)
		if _, err := db.RateGames(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	play()
	for name, want := range map[string]string{
		"ann": "Ann has played 1 of the 5 rated games on dota after which a rating is shown.",
		"Bob": "Bob has played 1 of the 5 rated games on dota after which a rating is shown.",
	} {
		if got := rank(name, "DotA v7"); got != want {
			t.Errorf("after a game: %q", got)
		}
	}
	for range 4 {
		play()
	}
	for name, want := range map[string]string{
		"":        "The best on dota: 1. Ann (1167 points), 2. Bob (-536 points).",
		"dota v1": "The best on dota: 1. Ann (1167 points), 2. Bob (-536 points).",
		"echo":    "Nobody has played enough rated games on echo yet.",
	} {
		text, err := Directory{DB: db}.Ask(t.Context(), command.Query{What: "top", Name: name, Map: "DotA v7"})
		if text != want || err != nil {
			t.Errorf("top %q: %q, %v", name, text, err)
		}
	}
	if _, err := (Directory{DB: db}).Ask(t.Context(), command.Query{What: "top"}); err == nil || err.Error() != "the map is missing. Usage: top <map>" {
		t.Errorf("top of no map: %v", err)
	}
	if text, err := (Directory{DB: db}).Ask(t.Context(), command.Query{What: "lastgame", Name: "Bob"}); !strings.HasSuffix(text, "\nWon: Ann.\nLost: Bob.") || err != nil {
		t.Errorf("the last game: %q, %v", text, err)
	}
	if got := rank("ann", "DotA v7"); got != "Ann: place 1 of 2 on dota, 1167 points (rated games: 5)." {
		t.Errorf("the winner: %q", got)
	}
	if got := rank("Bob", "DotA v7"); got != "Bob: place 2 of 2 on dota, -536 points (rated games: 5)." {
		t.Errorf("the loser: %q", got)
	}
}
