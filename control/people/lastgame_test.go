package people

import (
	"strings"
	"testing"
	"time"

	"w3host/game/command"
	"w3host/storage"
	"w3host/storage/storagetest"
	"w3host/texts"
)

// Behind the game everybody may read how many actions each player made in a minute of their own.
func TestLastGameTellsActions(t *testing.T) {
	k, at := storage.NewGameKey(), time.Now().Add(-time.Hour)
	db := storagetest.Open(t, storagetest.SQLite(t))
	apply(t, db,
		storage.GameCreated{Game: k, At: at, Map: storage.MapID{Name: "DotA"}},
		storage.PlayerJoined{Game: k, At: at, PID: 1, Name: "Ann"},
		storage.PlayerJoined{Game: k, At: at, PID: 2, Name: "Bob"},
		storage.PlayerJoined{Game: k, At: at, PID: 3, Name: "Cid"},
		storage.GameStarted{Game: k, At: at, Slots: []storage.StartedSlot{
			{Slot: 0, PID: 1, Name: "Ann", Occupant: storage.OccupantPlayer},
			{Slot: 1, PID: 2, Name: "Bob", Occupant: storage.OccupantPlayer},
			{Slot: 2, PID: 3, Name: "Cid", Occupant: storage.OccupantPlayer},
		}},
		storage.PlayerLeft{Game: k, At: at, PID: 3, Actions: 1}, // while loading
		storage.GameLoaded{Game: k, At: at},
		storage.PlayerLeft{Game: k, At: at.Add(2 * time.Minute), PID: 2, Actions: 100},
		storage.PlayerLeft{Game: k, At: at.Add(10 * time.Minute), PID: 1, Actions: 1234},
		storage.GameEnded{Game: k, At: at.Add(10 * time.Minute), How: storage.EndFinished},
	)
	for l, want := range map[texts.Language]string{
		texts.English: "\nActions in a minute: Ann 123, Bob 50.", texts.Chinese: "\n每分钟操作：Ann 123, Bob 50。",
	} {
		text, err := Directory{DB: db}.Ask(t.Context(), command.Query{What: "lastgame", Name: "bob", Language: l})
		if !strings.HasSuffix(text, want) || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	}
}
