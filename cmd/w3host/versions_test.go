package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"w3host/internal/testkit"
)

// TestVersionsSideBySide: a host has an entry for 1.26 and one for 1.36. Clients of each
// are shown, and play, the games of theirs only, with the map's identifiers and a replay
// of their version; those of a third are shown nothing.
func TestVersionsSideBySide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	port := testkit.FreePort(t)
	text := fmt.Sprintf(`
[host]
listen = "127.0.0.1:%d"
[lan]
port = %[1]d
broadcast = []
[lobby]
countdown = 0
autostart = 2
[replays]
name = "{game}"
[[autohost]]
name = "classic"
[[autohost]]
name = "modern"
version = "1.36"
versions = ["1.35"]
`, port)
	writeAll(t, dir, map[string]string{"config.toml": text, "scripts/common.j": "common\r\n", "scripts/blizzard.j": "blizzard\r\n"})
	p := startProcess(t, dir, "--log-json")
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	if how := p.await("to join")["message"]; how != "to join: Warcraft III 1.26, 1.36, 1.35, Local Area Network; from this machine only" {
		t.Errorf("%s", how)
	}
	testkit.Eventually(t, "both lobbies", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return strings.Count(fmt.Sprint(p.lines), "lobby open") == 2
	})
	sums := map[string]uint32{}
	for version, want := range map[string]string{"1.26": "classic", "1.36": "modern", "1.35": "modern", "1.32": "", "1.28": ""} {
		var games []lanGame
		var stdout, stderr string
		ask := func() bool {
			games = nil
			_, stdout, stderr = shell(t, "lan", "list", "--to", addr, "--version", version, "--timeout", "1s", "--json")
			if err := json.Unmarshal([]byte(stdout), &games); err != nil {
				t.Fatalf("%v: %s%s", err, stdout, stderr)
			}
			return len(games) > 0 || want == ""
		}
		testkit.Eventually(t, "the list of "+version, ask) // on a busy machine an answer may take more than a second
		name := ""
		if len(games) > 0 {
			name, sums[version] = games[0].Name, games[0].Checksum
		}
		if name != want || len(games) > 1 {
			t.Errorf("clients of %s are shown %s", version, stdout)
		}
	}
	if sums["1.26"] == sums["1.36"] || sums["1.36"] != sums["1.35"] {
		t.Errorf("the checksums that are shown: %08x", sums)
	}
	for version, name := range map[string]string{"1.26": "classic", "1.36": "modern"} {
		code, stdout, stderr := shell(t, "bots", "--addr", addr, "--version", version, "--players", "2", "--minutes", "0.01")
		if code != exitOK || !strings.Contains(stdout, "all went well") {
			t.Errorf("bots of %s: exit %d:\n%s%s", version, code, stdout, stderr)
		}
		file := filepath.Join(dir, "replays", name+".w3g")
		testkit.Eventually(t, "the replay of "+name, func() bool { _, err := os.Stat(file); return err == nil })
		_, stdout, stderr = shell(t, "replay", "info", "--json", file)
		var facts replayFacts
		if err := json.Unmarshal([]byte(stdout), &facts); err != nil {
			t.Fatalf("%v: %s%s", err, stdout, stderr)
		}
		if facts.Version != version || facts.MapChecksum != fmt.Sprintf("%08x", sums[version]) {
			t.Errorf("the replay of %s is of %s, checksum %s; shown was %08x", version, facts.Version, facts.MapChecksum, sums[version])
		}
	}
}

// writeAll writes files by their paths below a folder.
func writeAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}
