package gamelog

import (
	"io"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/game/command"
	"w3host/lobby"
)

// TestFactsAreBounded: no fact that a player causes, with as much text as a packet can hold, costs an observer more
// than a few copies of it.
func TestFactsAreBounded(t *testing.T) {
	const most = 128 << 10
	text := strings.Repeat("{0}{1}", 340) // 2 KiB
	player := game.Player{PID: 2, Name: text, Realm: text}
	r := NewRecords(&tape{}, time.Now())
	observers := []interface{ Observe(*game.Stamped) }{r, NewLines(zerolog.New(io.Discard), netip.AddrPort{})}
	for _, f := range []game.Fact{
		&game.Opened{Config: &game.Config{}, Owner: text},
		&game.Joined{Player: player},
		&game.JoinRefused{Name: text, Why: text},
		&game.Said{Said: lobby.Said{PID: 2, Name: text, Text: text}, Receiver: text},
		&game.Started{Players: []lobby.Player{{PID: 2, Name: text}}},
		&game.Acted{PID: 2, Data: mmd(0, "DefEvent e 1 x "+strings.Repeat("{0}", 80))},
		&game.Acted{PID: 2, Data: mmd(1, "Event e "+strings.Repeat("{1}{1} ", 35))},
		&game.Acted{PID: 2, Data: []byte(strings.Repeat("\x6BMMD.Dat\x00val:1\x00FlagP 0 x\x00\x00\x00\x00\x00", 75))},
		&game.GameSaved{Player: player, File: text},
		&game.LinkLost{Player: player, Why: text, Wait: 1},
		&game.Commanded{Caller: command.Caller{Name: text}, Line: text, Target: text, Detail: text, Refused: text},
		&game.Dropped{Player: player, Why: text},
		&game.LeftGame{Player: player, Why: text},
		&game.Over{},
	} {
		for _, o := range observers {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			o.Observe(&game.Stamped{Fact: f})
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > most {
				t.Errorf("%T has %T allocate %d bytes", f, o, n)
			}
		}
	}
}
