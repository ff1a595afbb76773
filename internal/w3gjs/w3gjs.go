// Package w3gjs parses replays in tests with w3gjs, an independent parser in JavaScript, to check files that
// w3host has written.
package w3gjs

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"w3host/internal/tier"
)

//go:embed package.json package-lock.json parse.js
var parser embed.FS

// Replay is a replay as parsed by w3gjs; see parse.js.
type Replay struct {
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

// Judge parses replay files with w3gjs. The test is skipped without Node.js or the npm package. It belongs to
// the full tier.
func Judge(t *testing.T, files ...[]byte) []Replay {
	t.Helper()
	tier.Program(t, "node", "nodejs")
	tier.Program(t, "npm", "npm")
	dir := t.TempDir()
	if err := os.CopyFS(dir, parser); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) []byte {
		var errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Stderr = dir, &errs
		out, err := cmd.Output()
		if err != nil && name == "npm" {
			tier.Missing(t, "needs w3gjs, which npm does not fetch: %v: %s", err, errs.Bytes())
		} else if err != nil {
			t.Fatalf("%s: %v\n%s%s", name, err, out, errs.Bytes())
		}
		if name == "node" && errs.Len() > 0 { // warnings about what it does not understand
			t.Errorf("w3gjs: %s", errs.Bytes())
		}
		return out
	}
	run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	args := []string{"parse.js"}
	for i, data := range files {
		name := filepath.Join(dir, fmt.Sprintf("%d.w3g", i))
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	var all []Replay
	d := json.NewDecoder(bytes.NewReader(run("node", args...)))
	for d.More() {
		var j Replay
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
