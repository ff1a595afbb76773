package main

import (
	"bytes"
	"encoding/json"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"w3host/formats/w3map/builtin"
)

// mapFolder has two maps, a file that is none, and scripts.
func mapFolder(t *testing.T) (dir, scripts string) {
	t.Helper()
	dir, scripts = t.TempDir(), t.TempDir()
	_, data := builtin.Map()
	write(t, filepath.Join(dir, "one.w3x"), data)
	write(t, filepath.Join(dir, "two.w3x"), append(bytes.Clone(data), "tail"...))
	write(t, filepath.Join(dir, "bad.w3x"), []byte("no map"))
	write(t, filepath.Join(scripts, "common.j"), []byte("c\r\n"))
	write(t, filepath.Join(scripts, "blizzard.j"), []byte("b\r\n"))
	return dir, scripts
}

// callMap runs w3host map in a folder without scripts.
func callMap(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("W3HOST_MAPS_SCRIPTS", "")
	return shell(t, append([]string{"map"}, args...)...)
}

func TestMapInfoJSON(t *testing.T) {
	dir, scripts := mapFolder(t)
	// Flags before, between and after the name.
	code, out, errs := callMap(t, "info", "--json", "--version", "1.26", filepath.Join(dir, "one.w3x"), "--scripts", scripts)
	if code != exitOK || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var keys map[string]any
	if err := json.Unmarshal([]byte(out), &keys); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(`author checksum crc32 custom_forces description file fixed_settings forces format height layout
		melee name players sha1 size slots versions warnings width`)
	if got := slices.Sorted(maps.Keys(keys)); !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
	var m mapFacts
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		t.Fatal(err)
	}
	if m.File != "one.w3x" || m.Name != builtin.MapName || m.Players != 10 || len(m.Slots) != 10 || len(m.Forces) != 2 ||
		m.Checksum == nil || len(*m.Checksum) != 8 || m.SHA1 == nil || len(*m.SHA1) != 40 || len(m.CRC32) != 8 ||
		m.Layout != 1 || !m.CustomForces || m.Warnings == nil || len(m.Warnings) != 0 {
		t.Errorf("got %s", out)
	}
	if m.Slots[9] != (slotFacts{Status: 0, Team: 1, Colour: 9, Race: 0x60}) || m.Forces[1].Players != 0x3E0 {
		t.Errorf("got %s", out)
	}
}

func TestMapInfoWithoutScripts(t *testing.T) {
	dir, _ := mapFolder(t)
	code, out, errs := callMap(t, "info", filepath.Join(dir, "one.w3x"), "--json")
	var m mapFacts
	if err := json.Unmarshal([]byte(out), &m); err != nil || code != exitOK {
		t.Fatal(code, err)
	}
	if m.Checksum != nil || m.SHA1 != nil || len(m.Warnings) != 1 || !strings.Contains(out, `"checksum": null`) {
		t.Errorf("got %s", out)
	}
	for _, way := range []string{"blizzard.j", "War3Patch.mpq", "one.toml"} {
		if !strings.Contains(m.Warnings[0], way) || !strings.Contains(errs, way) {
			t.Errorf("neither %q nor %q says %s", m.Warnings[0], errs, way)
		}
	}
}

func TestMapInfoNamesSpoiltScripts(t *testing.T) {
	dir, scripts := mapFolder(t)
	write(t, filepath.Join(scripts, "common.j"), "c\n")
	code, out, _ := callMap(t, "info", filepath.Join(dir, "one.w3x"), "--scripts", scripts)
	if code != exitOK || !strings.Contains(out, "common.j has LF line ends") || !strings.Contains(out, "unknown") {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestMapInfoOfSeveralFiles(t *testing.T) {
	dir, scripts := mapFolder(t)
	one, two, bad := filepath.Join(dir, "one.w3x"), filepath.Join(dir, "two.w3x"), filepath.Join(dir, "bad.w3x")
	code, out, errs := callMap(t, "info", one, bad, two, "--json", "--scripts", scripts)
	var all []mapFacts
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	if code != exitFailed || len(all) != 2 || all[1].File != "two.w3x" {
		t.Errorf("exit %d: %s", code, out)
	}
	if strings.Count(errs, "\n") != 1 || !strings.Contains(errs, bad) || !strings.Contains(errs, "no MPQ archive") {
		t.Errorf("not one sentence about the bad one: %q", errs)
	}
	if _, text, _ := callMap(t, "info", one, two, "--scripts", scripts); strings.Count(text, builtin.MapName) != 2 {
		t.Errorf("got %s", text)
	}
}

func TestMapInfoPNG(t *testing.T) {
	dir, _ := mapFolder(t)
	to := filepath.Join(dir, "map.png")
	if code, _, errs := callMap(t, "info", filepath.Join(dir, "one.w3x"), "--png", to); code != exitOK {
		t.Fatal(errs)
	}
	f, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if m, err := png.Decode(f); err != nil || m.Bounds().Dx() != 256 {
		t.Errorf("got %v", err)
	}
}

func TestMapTakesTheFileBesideIt(t *testing.T) {
	dir, _ := mapFolder(t)
	beside := filepath.Join(dir, "one.toml")
	write(t, beside, "checksum = \"00c0ffee\"\nsha1 = \""+strings.Repeat("ab", 20)+"\"\n")
	code, out, errs := callMap(t, "info", filepath.Join(dir, "one.w3x"), "--json")
	if code != exitOK || errs != "" || !strings.Contains(out, `"checksum": "00c0ffee"`) || !strings.Contains(out, `"warnings": []`) {
		t.Errorf("exit %d, %s: %s", code, errs, out)
	}
}

func TestMapListAndVerify(t *testing.T) {
	dir, scripts := mapFolder(t)
	code, out, errs := callMap(t, "list", dir, "--scripts", scripts)
	if code != exitOK || errs != "" || strings.Count(out, builtin.MapName) != 2 || !strings.Contains(out, "BROKEN") {
		t.Errorf("list: exit %d, %s\n%s", code, errs, out)
	}
	code, out, _ = callMap(t, "verify", dir, "--scripts", scripts)
	if code != exitFailed || !strings.Contains(out, "2 good, 0 with warnings, 1 broken") {
		t.Errorf("verify: exit %d\n%s", code, out)
	}
	if err := os.Remove(filepath.Join(dir, "bad.w3x")); err != nil {
		t.Fatal(err)
	}
	if code, out, _ = callMap(t, "verify", dir, "--scripts", scripts); code != exitOK {
		t.Errorf("verify of good maps: exit %d\n%s", code, out)
	}
	if code, _, errs = callMap(t, "verify", dir); code != exitFailed || strings.Count(errs, "War3Patch.mpq") != 1 {
		t.Errorf("verify without scripts says so once: exit %d, %s", code, errs)
	}
	code, out, _ = callMap(t, "list", "--json", dir)
	var all []mapFacts
	if err := json.Unmarshal([]byte(out), &all); err != nil || code != exitOK || len(all) != 2 {
		t.Errorf("list --json: %d %v %s", code, err, out)
	}
}

func TestMapAskedWrongly(t *testing.T) {
	dir, _ := mapFolder(t)
	one := filepath.Join(dir, "one.w3x")
	for text, args := range map[string][]string{
		"info, list or verify": {"show"},
		"name at least one":    {"info"},
		"not a game version":   {"info", one, "--version", "x"},
		"unknown flag --jsn":   {"info", one, "--jsn"},
		"no such folder":       {"info", one, "--scripts", "nowhere"},
		"with a single map":    {"info", one, one, "--png", "x.png"},
		"one folder only":      {"list", dir, dir},
		"one folder":           {"verify"},
	} {
		if code, _, errs := callMap(t, args...); code != exitUsage || !strings.Contains(errs, text) {
			t.Errorf("%q: exit %d, %q does not say %q", args, code, errs, text)
		}
	}
	for text, args := range map[string][]string{
		"no such file":     {"info", "nowhere.w3x"},
		"this is a folder": {"info", dir},
		"no such folder":   {"list", "nowhere"},
		"beginning":        {"info", "--", "-beginning.w3x"},
	} {
		if code, _, errs := callMap(t, args...); code != exitFailed || !strings.Contains(errs, text) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: exit %d, %q does not say %q", args, code, errs, text)
		}
	}
	for _, args := range [][]string{{}, {"--help"}, {"info", "--help"}} {
		if code, out, _ := callMap(t, args...); code != exitOK || !strings.Contains(out, "w3host map") {
			t.Errorf("%q: exit %d, %q", args, code, out)
		}
	}
}

func TestDrawBar(t *testing.T) {
	if got, want := drawBar(1<<20, 4<<20), "["+strings.Repeat("#", 10)+strings.Repeat(".", 30)+"]  25 %  1 of 4 MB"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := drawBar(9, 3); !strings.Contains(got, "100 %") {
		t.Errorf("more than all: %q", got)
	}
}
