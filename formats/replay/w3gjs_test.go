package replay

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"w3host/internal/w3gjs"
	"w3host/protocol/w3gs"
)

// What the Writer writes, whole, cut off by a crash and repaired, or anonymised,
// w3gjs reads as we do.
func TestW3gjsReadsTheSame(t *testing.T) {
	var whole, short, repaired, nameless memFile
	playGame(t, &whole, 3000)
	playGame(t, &short, 7)
	if _, err := Repair(bytes.NewReader(whole.data[:len(whole.data)*2/3]), &repaired); err != nil {
		t.Fatal(err)
	}
	if err := Anonymise(open(t, whole.data), &nameless, true); err != nil {
		t.Fatal(err)
	}
	var crashed memFile // a game that runs on, as a kill -9 leaves its file
	w, err := NewWriter(&crashed, game126, fourPlayers())
	if err != nil {
		t.Fatal(err)
	}
	for range 1234 {
		w.Turn(100e6, w3gs.AppendAction(nil, 2, order("ogru")))
	}
	files := [][]byte{whole.data, short.data, repaired.data, nameless.data, crashed.data}
	for _, ref := range optionalRefs() { // real games, written again
		data := readReal(t, ref.File)
		if data[36] == 0 {
			continue // w3gjs does not read header version 0
		}
		var again memFile
		if err := Anonymise(open(t, data), &again, true); err != nil {
			t.Fatal(err)
		}
		files = append(files, again.data)
	}
	for i, j := range w3gjs.Judge(t, files...) {
		compare(t, i, Summarise(open(t, files[i])), j)
	}
}

func optionalRefs() (refs []reference) {
	if data, err := os.ReadFile(filepath.Join(realDir, "reference.json")); err == nil {
		json.Unmarshal(data, &refs)
	}
	return refs
}

func compare(t *testing.T, i int, s *Summary, j w3gjs.Replay) {
	t.Helper()
	check := func(what string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("file %d: %s is %v, for w3gjs %v", i, what, got, want)
		}
	}
	check("turns", s.Turns, j.Turns)
	check("time", int(s.Played.Milliseconds()), j.MS)
	check("commands", s.Commands, j.Blocks)
	check("actions", s.Actions, j.Actions)
	check("duration", s.Duration.Milliseconds(), j.Duration)
	check("game", s.Start.GameName, j.Game)
	check("map", s.Start.Settings.MapPath, j.Map)
	check("leaves", len(s.Leaves), len(j.Leaves))
	check("chat", len(s.Chat), len(j.Chat))
	if t.Failed() {
		return
	}
	for k, l := range s.Leaves {
		check("leave", [3]int{int(l.PID), int(l.Reason), int(l.Result)}, [3]int{j.Leaves[k].PID, j.Leaves[k].Reason, j.Leaves[k].Result})
	}
	for k, c := range s.Chat {
		check("line", s.Name(c.PID)+": "+c.Text, j.Chat[k].Name+": "+j.Chat[k].Text)
		check("time of a line", c.Time.Milliseconds(), j.Chat[k].MS)
	}
	for _, p := range s.Players {
		if p.Observer {
			check("observer "+p.Name, true, slices.Contains(j.Observers, p.Name))
			continue
		}
		check("player "+p.Name, true, slices.ContainsFunc(j.Players, func(other struct {
			PID  int
			Name string
			Team int
		},
		) bool {
			return other.PID == int(p.PID) && other.Name == p.Name && other.Team == p.Team
		}))
	}
}
