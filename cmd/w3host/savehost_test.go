package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/formats/savedgame"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// TestGoOnWithASavedGame: bots play a game at a host. The host is started again, and opens the lobby of a
// save of that game, which knows no names: the same bots get their pids and slots again, and play on.
func TestGoOnWithASavedGame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	settings := fmt.Sprintf("[lan]\nport = %d\nbroadcast = []\n[lobby]\nautostart = -1\ncountdown = 1\n", testkit.FreePort(t))
	write(t, filepath.Join(dir, "config.toml"), settings)
	host := func(more ...string) (p *process, addr string) {
		p = startProcess(t, dir, append(more, "--listen", "127.0.0.1:0", "--config", "config.toml")...)
		return p, p.await("lobby open")["listen"].(string)
	}
	play := func(addr string, more ...string) {
		t.Helper()
		args := append([]string{"bots", "--addr", addr, "--players", "3", "--minutes", "0.02", "--patience", "30s"}, more...)
		if code, out, errs := shell(t, args...); code != exitOK {
			t.Fatalf("bots %v: exit %d\n%s%s", more, code, out, errs)
		}
	}
	stop := func(p *process) {
		t.Helper()
		p.await("game over")
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		if err := p.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	p, addr := host()
	play(addr)
	stop(p)
	first := latestGame(t, dir)

	save := filepath.Join(dir, "saves", "friday.w3z")
	if err := os.MkdirAll(filepath.Dir(save), 0o755); err != nil {
		t.Fatal(err)
	}
	head := headOf(t, first)
	by := replay.Header{Program: replay.HostOf("W3XP", 26), Duration: 34*time.Minute + 10*time.Second}
	write(t, save, head.Pack(by))
	p, addr = host()
	if code, out := ctl(t, dir, "hostsave friday Friday goes on"); code != exitOK || !strings.Contains(out, `"Friday goes on" is open: friday.w3z`) {
		t.Fatalf("exit %d: %s", code, out)
	}
	if code, out := ctl(t, dir, "eg 2 openall"); code == exitOK || !strings.Contains(out, "saved game") {
		t.Errorf("exit %d: %s", code, out)
	}
	play(addr, "--save", save)
	stop(p)
	second := latestGame(t, dir)
	if second.Key == first.Key || second.Seed == first.Seed || !strings.Contains(string(second.Settings), "friday.w3z") {
		t.Errorf("logged as %s, seed %d, %s", second.Key, second.Seed, second.Settings)
	}
	if was, is := savedPlaces(first), savedPlaces(second); was != is || strings.Count(was, "bot-") != 3 {
		t.Errorf("first %s, then %s", was, is)
	}
}

// TestServeASavedGame: a host begins with the lobby of a saved game that its log does not know.
func TestServeASavedGame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name, data := builtin.Map()
	m, err := w3map.Read(bytes.NewReader(data), int64(len(data)), name, w3map.Options{Version: 26})
	if err != nil {
		t.Fatal(err)
	}
	head := headOf(t, &storage.GameDetail{
		Game: storage.Game{MapSHA1: hex.EncodeToString(m.SHA1[:])}, MapPath: m.Path, Checksum: fmt.Sprintf("%08x", m.Checksum),
		People: []storage.GamePlayer{{Slot: 0, PID: 2}, {Slot: 1, PID: 3, Colour: 1}},
	})
	write(t, filepath.Join(dir, "x.w3z"), head.Pack(replay.Header{Program: replay.HostOf("W3XP", 26)}))
	p := startProcess(t, dir, "x.w3z", "--player", "1=Ann", "--player", "2=Two Words", "--listen", "127.0.0.1:0", "--lan=false")
	p.await(`It is for Ann, Two Words.`)
	for _, args := range [][]string{{"--player", "1=Ann"}, {"x.w3z", "y.w3z"}, {"serve", "x.w3x"}} {
		if code, _, errs := shell(t, args...); code != exitUsage {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
}

// latestGame reads the last game that was played from the game log in dir.
func latestGame(t *testing.T, dir string) *storage.GameDetail {
	t.Helper()
	db := storagetest.Open(t, "sqlite:"+filepath.Join(dir, "data/w3host.db"))
	g, err := db.Game(t.Context(), storage.GameKey{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// savedPlaces tells who had which slot and pid.
func savedPlaces(g *storage.GameDetail) string {
	var list []string
	for _, p := range g.People {
		list = append(list, fmt.Sprintf("%s slot %d pid %d", p.Name, p.Slot, p.PID))
	}
	return strings.Join(list, ", ")
}

// headOf makes the head of a save of a game on the built-in map, which has ten slots.
func headOf(t *testing.T, g *storage.GameDetail) savedgame.Head {
	t.Helper()
	head := savedgame.Head{MapPath: g.MapPath, GameName: g.Name, Magic: 0xCAFEBABE, Type: 0x00492801, SlotCount: 10}
	head.Stat = w3gs.StatString{Settings: w3gs.SpeedFast | w3gs.VisibilityDefault, MapPath: g.MapPath, HasSHA1: true}
	sum, err := hex.DecodeString(g.MapSHA1)
	if err != nil || copy(head.Stat.SHA1[:], sum) != 20 {
		t.Fatal(g.MapSHA1, err)
	}
	if _, err := fmt.Sscanf(g.Checksum, "%x", &head.Stat.Checksum); err != nil {
		t.Fatal(err)
	}
	for i := range uint8(10) {
		s := w3gs.Slot{Download: 255, Team: i, Colour: i, Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100}
		for _, p := range g.People {
			if p.Slot == int(i) {
				s.PID, s.Status, s.Team, s.Colour, s.Race, s.Handicap = p.PID, w3gs.SlotOccupied, uint8(p.Team), uint8(p.Colour), w3gs.RaceOrc, 70
			}
		}
		head.Table.Slots = append(head.Table.Slots, s)
	}
	head.Table.RandomSeed, head.Table.PlayerSlots = g.Seed, 10
	return head
}
