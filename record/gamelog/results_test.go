package gamelog

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/formats/w3map"
	"w3host/game"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/storage"
	gamesync "w3host/sync"
)

// TestResultRules plays two against two for 20 minutes. The map says that pids 2 and 4 have won; pid 2 has left
// after ten minutes.
func TestResultRules(t *testing.T) {
	for _, tc := range []struct {
		name  string
		rules game.ResultRules
		own   bool   // the leaver's word
		vote  bool   // the players agree, in place of the map
		told  bool   // the winner is named before pid 2 leaves
		want  string // outcomes by pid
	}{
		{"no rules", game.ResultRules{}, true, false, false, "won lost won lost"},
		{"leavers lose", game.ResultRules{LeaversLose: true}, true, false, false, "forfeited lost won lost"},
		{"a lost connection", game.ResultRules{LeaversLose: true}, false, false, false, "won lost won lost"},
		{"behind the end", game.ResultRules{LeaversLose: true}, true, false, true, "won lost won lost"},
		{"by a vote", game.ResultRules{LeaversLose: true}, true, true, false, "forfeited lost won lost"},
		{"long enough", game.ResultRules{MinLength: 20 * time.Minute, MinPlayers: 4}, true, false, false, "won lost won lost"},
		{"too short", game.ResultRules{MinLength: 21 * time.Minute, LeaversLose: true}, true, false, false, "   "},
		{"too few", game.ResultRules{MinPlayers: 5, LeaversLose: true}, true, false, false, "   "},
		{"too few for a vote", game.ResultRules{MinPlayers: 5, LeaversLose: true}, true, true, false, "   "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			to := &tape{}
			r := NewRecords(to, time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC))
			turn := uint32(0)
			tell := func(at time.Duration, f game.Fact) {
				turn++
				r.Observe(&game.Stamped{Turn: turn, At: at, Fact: f})
			}
			tell(0, &game.Opened{Config: &game.Config{Version: w3gs.DefaultVersion, Map: game.Map{Name: "arena", Reports: w3map.Reports{W3MMD: true}}, Results: tc.rules}})
			started := &game.Started{Addrs: map[uint8]netip.AddrPort{}}
			for i := range 5 { // the last one watches
				pid := uint8(i + 2)
				name := fmt.Sprint("P", pid)
				tell(0, &game.Joined{Player: game.Player{PID: pid, Name: name}, Slot: i})
				team := uint8(i % 2)
				if i == 4 {
					team = w3gs.ObserverTeam
				}
				started.Players = append(started.Players, lobby.Player{PID: pid, Name: name, Slot: i, Colour: uint8(i), Team: team, Observer: i == 4})
				started.Table.Slots = append(started.Table.Slots, w3gs.Slot{Status: w3gs.SlotOccupied, PID: pid, Team: team, Colour: uint8(i)})
			}
			tell(0, started)
			tell(0, &game.AllLoaded{})
			said := []string{"init pid 0 P2", "init pid 1 P3", "init pid 2 P4", "init pid 3 P5", "FlagP 0 winner", "FlagP 1 loser", "FlagP 2 winner", "FlagP 3 loser"}
			outcomes := func(at time.Duration) {
				if tc.vote {
					f := &game.Decided{}
					f.Players = slices.Grow(f.Players, 4)[:4]
					for i := range f.Players {
						f.Players[i].PID, f.Players[i].Result = uint8(i+2), []game.Result{game.Victory, game.Defeat}[i%2]
					}
					tell(at, f)
					return
				}
				for i, line := range said {
					tell(at, &game.Acted{PID: uint8(i%3 + 3), Data: mmd(i, line)})
				}
			}
			if tc.told {
				outcomes(9 * time.Minute)
			}
			tell(10*time.Minute, &game.LeftGame{Player: game.Player{PID: 2, Name: "P2"}, Reason: w3gs.LeaveLost, Own: tc.own})
			tell(12*time.Minute, &game.Turned{})
			if !tc.told {
				outcomes(20 * time.Minute)
			}
			tell(20*time.Minute, &game.Over{Over: gamesync.Over{GameTime: 20 * time.Minute}})

			db := stored(t, to)
			last, err := db.LastGameOf(t.Context(), "P2")
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, p := range last.Players {
				got[p.Name] = p.Outcome
			}
			if got := strings.Join([]string{got["P2"], got["P3"], got["P4"], got["P5"]}, " "); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
			stats, err := db.PlayerStats(t.Context(), "P2")
			if lost := strings.HasPrefix(tc.want, storage.OutcomeForfeited); err != nil || stats[0].Lost == 1 != lost {
				t.Errorf("P2 has %+v, %v", stats, err)
			}
		})
	}
}
