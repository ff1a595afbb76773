package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/formats/savedgame"
	"w3host/protocol/w3gs"
)

// writeSave writes a saved game of Ann (pid 2) and Bob (pid 5) against a computer.
func writeSave(t *testing.T) string {
	t.Helper()
	slot := w3gs.Slot{PID: 2, Download: 100, Status: w3gs.SlotOccupied, Race: w3gs.RaceOrc, AI: w3gs.AINormal, Handicap: 90}
	other, computer, closed, open := slot, slot, slot, slot
	other.PID, other.Team = 5, 1
	computer.PID, computer.Computer = 0, true
	closed.PID, closed.Status = 0, w3gs.SlotClosed
	open.PID, open.Status = 0, w3gs.SlotOpen
	head := savedgame.Head{
		MapPath: `Maps\Download\x.w3x`, GameName: "Ann's \x1b[31mgame", SlotCount: 5, Magic: 0xC0FFEE, Type: 0x00492801,
		Stat:  w3gs.StatString{MapPath: `Maps\Download\x.w3x`, Checksum: 7, HasSHA1: true},
		Table: w3gs.SlotTable{Slots: []w3gs.Slot{slot, other, computer, closed, open}, RandomSeed: 0xABCD, Layout: w3gs.LayoutFixedSettings},
	}
	name := filepath.Join(t.TempDir(), "save.w3z")
	by := replay.Header{Program: replay.Program{Product: replay.ProductExpansion, Version: 26}, Duration: 34*time.Minute + 10*time.Second}
	write(t, name, head.Pack(by))
	return name
}

// Where nothing could be read, an array for several files is empty, as that of w3host replay info.
func TestSaveInfoOfNone(t *testing.T) {
	if code, out, _ := shell(t, "save", "info", "--json", "none.w3z", "neither.w3z"); code != exitFailed || out != "[]\n" {
		t.Errorf("%d %q", code, out)
	}
}

func TestSaveInfo(t *testing.T) {
	name := writeSave(t)
	code, out, errs := shell(t, "save", "info", name)
	for _, want := range []string{
		"1.26, W3XP", "saved at 0:34:10", `Maps\Download\x.w3x, checksum 00000007`, "00c0ffee", "0000abcd",
		"player with pid 2, team 1, orc, 90 %", "player with pid 5, team 2", "computer, team 1", "closed", "open",
	} {
		if code != exitOK || !strings.Contains(out, want) || strings.Contains(out, "\x1b") {
			t.Errorf("exit code %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
	code, out, _ = shell(t, "save", "info", "--json", name)
	var f saveFacts
	if err := json.Unmarshal([]byte(out), &f); code != exitOK || err != nil || f.SavedMS != 2050000 || len(f.Slots) != 5 || f.Slots[1].PID != 5 {
		t.Errorf("exit code %d, %v, %+v", code, err, f)
	}
}

func TestSaveInfoRefuses(t *testing.T) {
	save, recorded := writeSave(t), recordedGame(t)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"save", "info"}, exitUsage, "name at least one"},
		{[]string{"save", "info", recorded}, exitFailed, "it is a replay; try w3host replay info"},
		{[]string{"save", "info", "no.w3z"}, exitFailed, "no such file"},
		{[]string{"save", "info", "save_test.go"}, exitFailed, "take a .w3z file"},
		{[]string{"replay", "info", save}, exitFailed, "try w3host save info"},
	} {
		if code, _, errs := shell(t, c.args...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit code %d, %s", c.args, code, errs)
		}
	}
}
