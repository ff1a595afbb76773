package replay

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"w3host/w3gs"
)

// judged is what w3gjs reads; see testdata/w3gjs/parse.js.
type judged struct {
	Turns, MS, Blocks, Actions int
	Leaves                     []struct{ PID, Reason, Result int }
	Version, Game, Map, SHA1   string
	Duration                   int64
	Players                    []struct {
		PID  int
		Name string
		Team int
	}
	Observers []string
	Chat      []struct {
		Name, Text, Mode string
		MS               int64
	}
}

// w3gjs has an independent parser read files. Without node, or without the
// package that npm fetches, the test is skipped; scripts/test.sh sets
// W3HOST_TEST_W3GJS where it has to run.
func w3gjs(t *testing.T, files ...[]byte) []judged {
	t.Helper()
	give := t.Skipf
	if os.Getenv("W3HOST_TEST_W3GJS") != "" {
		give = t.Fatalf
	}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			give("SKIPPED: w3gjs does not judge what the Writer writes: %v", err)
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "parse.js"} {
		data, err := os.ReadFile(filepath.Join("testdata", "w3gjs", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) []byte {
		var errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Stderr = dir, &errs
		out, err := cmd.Output()
		if err != nil && name == "npm" {
			give("SKIPPED: w3gjs does not judge what the Writer writes: npm: %v\n%s", err, errs.Bytes())
		} else if err != nil {
			t.Fatalf("%s: %v\n%s%s", name, err, out, errs.Bytes())
		}
		if name == "node" && errs.Len() > 0 { // it tells there what it does not understand
			t.Errorf("w3gjs: %s", errs.Bytes())
		}
		return out
	}
	run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	args := []string{"parse.js"}
	for i, data := range files {
		name := filepath.Join(dir, string(rune('a'+i))+".w3g")
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	var all []judged
	d := json.NewDecoder(bytes.NewReader(run("node", args...)))
	for d.More() {
		var j judged
		if err := d.Decode(&j); err != nil {
			t.Fatal(err)
		}
		all = append(all, j)
	}
	if len(all) != len(files) {
		t.Fatalf("w3gjs read %d of %d files", len(all), len(files))
	}
	return all
}

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
	for i, j := range w3gjs(t, files...) {
		compare(t, i, Summarise(open(t, files[i])), j)
	}
}

func optionalRefs() (refs []reference) {
	if data, err := os.ReadFile(filepath.Join(realDir, "reference.json")); err == nil {
		json.Unmarshal(data, &refs)
	}
	return refs
}

func compare(t *testing.T, i int, s *Summary, j judged) {
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
