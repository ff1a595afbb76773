package gamelog

import (
	"testing"
	"time"

	"w3host/game"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

// Versions are logged as players call them.
func TestVersionIsNamed(t *testing.T) {
	for version, want := range map[w3gs.Version]string{26: "1.26", 7: "1.07", w3gs.VersionTwo: "2.0"} {
		to := &tape{}
		NewRecords(to, time.Now()).Observe(&game.Stamped{Fact: &game.Opened{Config: &game.Config{Version: version}}})
		if got := to.records[0].(storage.GameCreated).Version; got != want {
			t.Errorf("version %d is logged as %q, want %q", version, got, want)
		}
	}
}
