package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/internal/tier"
)

// TestReplayCommandsOnMutants gives real replays that are cut, flipped, or of
// another version to every verb: each answers in time, with an exit code, valid
// output, and at most one line that says what is wrong.
func TestReplayCommandsOnMutants(t *testing.T) {
	tier.All(t, "reads thousands of damaged files")
	t.Parallel()
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "testdata", "replays", "*.w3g"))
	if len(files) == 0 {
		t.Skip("SKIP: needs real replays")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 40<<10 && os.Getenv("W3HOST_TEST_LONG") != "1" {
			continue
		}
		for what, mutant := range mutantsOf(t, data) {
			name := filepath.Join(t.TempDir(), "mutant.w3g")
			if err := os.WriteFile(name, mutant, 0o600); err != nil {
				t.Fatal(err)
			}
			tryVerbs(t, filepath.Base(file)+", "+what, name)
		}
	}
}

func mutantsOf(t *testing.T, data []byte) map[string][]byte {
	mutants := map[string][]byte{"whole": data, "header only": data[:0x44], "doubled": append(bytes.Clone(data), data...)}
	for i := 1; i < 8; i += 2 {
		mutants[fmt.Sprintf("cut at %d/8", i)] = data[:len(data)*i/8]
		flipped := bytes.Clone(data)
		flipped[len(data)*i/8] ^= 0x40
		mutants[fmt.Sprintf("flipped at %d/8", i)] = flipped
	}
	r, err := replay.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []replay.Version{0, 2, 6, 12, 14, 28, 307, 10030, 10032, 10100, 1<<32 - 1} {
		h := r.Header
		h.Version = version
		mutants[fmt.Sprint("version ", uint32(version))] = append(h.AppendTo(nil), data[h.Length:]...)
	}
	h := r.Header
	h.FileSize, h.StreamSize, h.Blocks, h.Duration = 1<<32-1, 1<<32-1, 1<<32-1, 1<<32*time.Millisecond-1
	mutants["4 GB"] = append(h.AppendTo(nil), data[h.Length:]...)
	return mutants
}

func tryVerbs(t *testing.T, what, name string) {
	t.Helper()
	began := time.Now()
	svg, fixed, bare := name+".svg", name+".fixed.w3g", name+".bare.w3g"
	call := func(args ...string) (code int, out string) {
		code, out, errs := callReplay(t, args...)
		if code != exitOK && code != exitFailed || strings.Count(errs, "\n") > 1 || errs != "" && !strings.HasPrefix(errs, "w3host replay") {
			t.Errorf("%s: %s: exit %d, %s", what, args[0], code, errs)
		}
		return code, out
	}
	code, out := call("info", "--json", "--svg", svg, name)
	if code == exitOK {
		var facts replayFacts
		if err := json.Unmarshal([]byte(out), &facts); err != nil {
			t.Errorf("%s: info: %v", what, err)
		}
		picture, err := os.ReadFile(svg)
		for d := xml.NewDecoder(bytes.NewReader(picture)); err == nil; {
			_, err = d.Token()
		}
		if err != io.EOF {
			t.Errorf("%s: the picture: %v", what, err)
		}
		verified, text := call("verify", name)
		if cut := strings.Contains(what, "cut") || strings.Contains(what, "flipped"); cut && (verified == exitOK || len(facts.Warnings) == 0) {
			t.Errorf("%s: verify: exit %d, %s; warnings %q", what, verified, text, facts.Warnings)
		}
	}
	call("actions", name)
	if code, _ := call("repair", "--output", fixed, name); code == exitOK {
		if _, err := os.Stat(fixed); err == nil {
			if code, out := call("verify", fixed); code != exitOK {
				t.Errorf("%s: repaired, yet %s", what, out)
			}
		}
	}
	if code, _ := call("anonymise", "--output", bare, name); code == exitOK {
		if code, out := call("info", "--json", bare); code != exitOK {
			t.Errorf("%s: without names it cannot be read: %s", what, out)
		}
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("%s: %v", what, took)
	}
}
