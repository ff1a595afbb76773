package gamelog

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"w3host/formats/w3map"
	"w3host/game"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/storage"
	gamesync "w3host/sync"
)

// reportedGame plays a game of three in which a map reports by W3MMD and DotA. Pid 4 has left before the end.
func reportedGame(tells w3map.Reports, rules game.ResultRules) *tape {
	to := &tape{}
	r := NewRecords(to, time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC))
	turn := uint32(0)
	tell := func(f game.Fact) {
		turn++
		r.Observe(&game.Stamped{Turn: turn, At: time.Duration(turn) * time.Second, Fact: f})
	}
	tell(&game.Opened{Config: &game.Config{Version: 26, Map: game.Map{Name: "arena", Reports: tells}, Results: rules}})
	started := &game.Started{Addrs: map[uint8]netip.AddrPort{}}
	for i, name := range []string{"Ann", "Bob Two", "Cid"} {
		pid := uint8(i + 2)
		tell(&game.Joined{Player: game.Player{PID: pid, Name: name}, Slot: i})
		started.Players = append(started.Players, lobby.Player{PID: pid, Name: name, Slot: i, Colour: uint8(i + 1), Team: uint8(i)})
		started.Table.Slots = append(started.Table.Slots, w3gs.Slot{Status: w3gs.SlotOccupied, PID: pid, Team: uint8(i), Colour: uint8(i + 1)})
	}
	tell(started)
	tell(&game.AllLoaded{})
	for i, line := range []string{
		"init version 1 1", "init pid 1 Ann", `init pid 2 Bob\ Two`, "init pid 3 Cid", "VarP 1 kills += 2", "VarP 2 kills += 1", "VarP 1 kills += 1",
		"FlagP 3 leaver", "FlagP 1 winner", "FlagP 2 loser", "FlagP 3 loser",
	} {
		tell(&game.Acted{PID: uint8(i%2 + 2), Data: mmd(i, line)})
		tell(&game.Turned{Increment: 2000})
		if i == 6 {
			tell(&game.LeftGame{Player: game.Player{PID: 4, Name: "Cid"}, Reason: w3gs.LeaveLost, Own: true})
		}
	}
	tell(&game.Acted{PID: 2, Data: report("dr.x", "Global", "Winner", 1)})
	tell(&game.Over{Over: gamesync.Over{GameTime: 10 * time.Minute}})
	return to
}

// TestRebuild: from what is stored of a game, the same results are made again.
func TestRebuild(t *testing.T) {
	both := w3map.Reports{W3MMD: true, DotA: true}
	for name, tc := range map[string]struct {
		tells w3map.Reports
		rules game.ResultRules
		won   bool
	}{
		"results that count":         {both, game.ResultRules{}, true},
		"a map that does not report": {w3map.Reports{}, game.ResultRules{}, false},
		"too few players":            {both, game.ResultRules{MinPlayers: 9}, false},
	} {
		t.Run(name, func(t *testing.T) {
			db := stored(t, reportedGame(tc.tells, tc.rules))
			keys, err := db.ReportedGames(t.Context(), storage.GameKey{}, 10)
			if err != nil || len(keys) != 1 {
				t.Fatal(keys, err)
			}
			before, err := db.Game(t.Context(), keys[0])
			if err != nil {
				t.Fatal(err)
			}
			won := slices.ContainsFunc(before.Results, func(v storage.ResultValue) bool {
				return v.Source == storage.SourceW3MMD && v.PID == 2 && v.Value == storage.OutcomeWon && !v.Doubtful
			})
			if won != tc.won || len(before.Results) < 7 {
				t.Errorf("won: %v, want %v: %+v", won, tc.won, before.Results)
			}
			rebuild := func() (changed bool) {
				g, err := db.ReportedGame(t.Context(), keys[0])
				if err != nil {
					t.Fatal(err)
				}
				results, whole := Rebuild(g)
				if changed, err = db.ReplaceResults(t.Context(), keys[0], results); err != nil || !whole {
					t.Fatal(whole, err)
				}
				return changed
			}
			if rebuild() {
				t.Error("the results are others than those of the game")
			}
			if changed, err := db.ReplaceResults(t.Context(), keys[0], nil); !changed || err != nil {
				t.Errorf("results are removed: %v, %v", changed, err)
			}
			if stats, err := db.PlayerStats(t.Context(), "Ann"); err != nil || stats[0].Won != 0 {
				t.Errorf("without results Ann has %+v, %v", stats, err)
			}
			if !rebuild() {
				t.Error("nothing is rebuilt")
			}
			after, err := db.Game(t.Context(), keys[0])
			if err != nil || fmt.Sprint(after.Results) != fmt.Sprint(before.Results) {
				t.Errorf("%v\n%+v and again\n%+v", err, before.Results, after.Results)
			}
			if stats, err := db.PlayerStats(t.Context(), "Ann"); err != nil || stats[0].Won == 1 != tc.won {
				t.Errorf("Ann has %+v, %v", stats, err)
			}
		})
	}
}
