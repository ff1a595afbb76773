package game

import (
	"strings"
	"testing"
	"time"

	"w3host/game/command"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

// TestPlayersOfSavedGame: the table of a saved game may have a computer in the team of the observers.
func TestPlayersOfSavedGame(t *testing.T) {
	cfg := Config{Lobby: lobby.Defaults(), Turns: gamesync.Defaults(), Transfer: mapxfer.Defaults()}
	cfg.Lobby.Wire.MaxPID, cfg.Lobby.Restored = w3gs.MaxSlots, true
	for _, s := range []w3gs.Slot{
		{PID: 1, Status: w3gs.SlotOccupied},
		{Status: w3gs.SlotOccupied, Computer: true, Team: w3gs.ObserverTeam24, Race: w3gs.RaceOrc},
	} {
		cfg.Lobby.Slots = append(cfg.Lobby.Slots, s)
		cfg.Lobby.Places = append(cfg.Lobby.Places, lobby.Place{Slot: s})
	}
	var out Out
	m := New(cfg, &out)
	m.Step(time.Second, &Input{Kind: Command, Caller: &command.Caller{Level: command.Root}, Line: "players"}, &out)
	var said []string
	for _, op := range out.Ops {
		said = append(said, op.Text)
	}
	if got := strings.Join(said, " "); got != "Team 25: a computer (orc)." {
		t.Errorf("said %q", got)
	}
}
