package mapconf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"w3host/formats/mapconf"
	"w3host/formats/w3map"
	"w3host/protocol/w3gs"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// given is a map as it was read.
func given() *w3map.Map {
	return &w3map.Map{
		Path: `Maps\Download\a.w3x`, Info: w3map.Info{Name: "old"}, Version: 26, Settings: w3map.DefaultSettings,
		Identifiers: w3map.Identifiers{Size: 1000, CRC32: 0x12345678},
		Slots:       make([]w3gs.Slot, 2), PlayerSlots: 2, NeedsScripts: true,
	}
}

func apply(t *testing.T, text string) (*w3map.Map, error) {
	t.Helper()
	c, err := mapconf.Load(write(t, text))
	if err != nil {
		return nil, err
	}
	m := given()
	return m, c.Apply(m)
}

func TestEverythingMayBeSaid(t *testing.T) {
	m, err := apply(t, `
path = 'Maps\Download\other.w3x'
name = "|cFFFF0000new|r"
author = "me"
description = "mine"
width = 64
height = 96
size = 1000
crc32 = "12345678"
checksum = "0x89ab cdef"
sha1 = "000102030405060708090a0b0c0d0e0f10111213"
layout = "fixed-settings"
observers = "referees"
speed = "slow"
visibility = "explored"
teams_together = false
lock_teams = false
shared_control = true
random_hero = true
random_races = true
hcl = "apnm-x2"
modes = ["ap", "ar-em"]
link = "https://example.org/map"

[[slots]]
team = 1
colour = 12

[[slots]]
status = "computer"
team = 2
colour = 1
race = "night-elf"
selectable = true
difficulty = "insane"
handicap = 50

[[slots]]
status = "closed"
team = 12
colour = 2
race = "undead"
`)
	if err != nil {
		t.Fatal(err)
	}
	if m.Path != `Maps\Download\other.w3x` || m.Name != "|cFFFF0000new|r" || m.Author != "me" || m.Description != "mine" ||
		m.Width != 64 || m.Height != 96 || m.HCL != "apnm-x2" || len(m.Modes) != 2 || m.Link != "https://example.org/map" {
		t.Errorf("texts: %+v", m)
	}
	if m.Checksum != 0x89abcdef || !m.HasChecksum || m.SHA1[19] != 0x13 || !m.HasSHA1 || m.MissingScripts() != "" {
		t.Errorf("identifiers: %+v, missing %q", m.Identifiers, m.MissingScripts())
	}
	want := w3gs.SpeedSlow | w3gs.VisibilityExplored | w3gs.ObserversOn | w3gs.Referees |
		w3gs.FullSharedControl | w3gs.RandomHero | w3gs.RandomRaces
	if m.Settings != want {
		t.Errorf("settings %#x, want %#x", m.Settings, want)
	}
	if m.Layout != w3gs.LayoutFixedSettings || !m.FixedSettings || !m.CustomForces || m.PlayerSlots != 3 {
		t.Errorf("layout %d, %d slots", m.Layout, m.PlayerSlots)
	}
	for i, want := range []w3gs.Slot{
		{Download: 255, Status: w3gs.SlotOpen, Team: 0, Colour: 11, Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100},
		{Download: 100, Status: w3gs.SlotOccupied, Computer: true, Team: 1, Race: w3gs.RaceNightElf | w3gs.RaceSelectable, AI: w3gs.AIInsane, Handicap: 50},
		{Download: 255, Status: w3gs.SlotClosed, Team: 11, Colour: 1, Race: w3gs.RaceUndead, AI: w3gs.AINormal, Handicap: 100},
	} {
		if m.Slots[i] != want {
			t.Errorf("slot %d is %+v, want %+v", i, m.Slots[i], want)
		}
	}
}

func TestWhatIsNotSaidStays(t *testing.T) {
	m, err := apply(t, "observers = \"on\"\n")
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "old" || m.Settings != w3map.DefaultSettings|w3gs.ObserversOn || len(m.Slots) != 2 || m.MissingScripts() == "" {
		t.Errorf("got %+v", m)
	}
	if c, err := mapconf.Load(filepath.Join(t.TempDir(), "none.toml")); c != nil || err != nil || c.Apply(m) != nil {
		t.Errorf("no file is no fault: %v %v", c, err)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		`obsrvers = "on"`:                `unknown key "obsrvers"; did you mean "observers"?`,
		"[[slots]]\nteam = 1\ncolor = 1": `unknown key "slots.color"; did you mean "colour"?`,
		`checksum = "xyz"`:               "even number of hex digits",
		`checksum = "1234"`:              "has 4 hex digits instead of 8",
		`crc32 = "12"`:                   "has 2 hex digits instead of 8",
		`sha1 = "12"`:                    "has 2 hex digits instead of 40",
		`size = 999`:                     "another version of the map",
		`crc32 = "12345679"`:             "another version of the map",
		`size = "big"`:                   "size",
		`name = `:                        "line 1",
		`path = "x.w3x"`:                 "must begin with Maps",
		`path = 'Maps\` + strings.Repeat("x", 50) + `'`:          "at most 53 bytes",
		`speed = "ludicrous"`:                                    "it must be one of slow, normal, fast",
		`observers = "yes"`:                                      "it must be one of off, on, referees, on-defeat",
		`visibility = ""`:                                        "it must be one of default,",
		`layout = "2"`:                                           "it must be one of melee,",
		`hcl = "AP"`:                                             "only a-z",
		`modes = ["ap", "AR"]`:                                   "modes is \"AR\"",
		`modes = ["ap", ""]`:                                     "without empty ones",
		`link = "example.org"`:                                   "an address like https://",
		`link = "javascript:alert(1)"`:                           "an address like https://",
		"[[slots]]\nteam = 0\ncolour = 1":                        "slot 1 has team 0",
		"[[slots]]\nteam = 1\ncolour = 25":                       "colour 25",
		"[[slots]]\nteam = 1\ncolour = 1\nrace = \"elf\"":        "slot 1 has a race that is",
		"[[slots]]\nteam = 1\ncolour = 1\nstatus = \"full\"":     "slot 1 has a status that is",
		"[[slots]]\nteam = 1\ncolour = 1\ndifficulty = \"hard\"": "slot 1 has a difficulty that is",
		"[[slots]]\nteam = 1\ncolour = 1\nhandicap = 55":         "handicap of 55",
		strings.Repeat("[[slots]]\nteam = 1\ncolour = 1\n", 25):  "slots has 25",
	} {
		_, err := apply(t, text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "a.toml") {
			t.Errorf("%q: %v does not say %q", text, err, want)
		}
	}
}

func TestStatedChecksumCounts(t *testing.T) {
	c, err := mapconf.Load(write(t, `checksum = "00000001"`))
	if err != nil {
		t.Fatal(err)
	}
	m := given()
	m.Checksum, m.HasChecksum = 2, true
	if err := c.Apply(m); err != nil || m.Checksum != 1 || len(m.Warnings) != 1 {
		t.Errorf("got %v %d %q", err, m.Checksum, m.Warnings)
	}
}

// TestVersions: a map has identifiers of its own for each version that the file names.
func TestVersions(t *testing.T) {
	m, err := apply(t, "checksum = \"00000026\"\n[versions.\"1.27\"]\nchecksum = \"00000027\"\nsha1 = \"2700000000000000000000000000000000000000\"\n[versions.26]\nchecksum = \"00000126\"\n")
	if err != nil {
		t.Fatal(err)
	}
	if m.Checksum != 0x126 || m.For(26).Checksum != 0x126 || m.For(27).Checksum != 0x27 || m.For(27).SHA1[0] != 0x27 || m.For(28).Checksum != 0x126 || m.For(27).Size != m.Size {
		t.Errorf("%+v, others %+v", m.Identifiers, m.Others)
	}
	for text, want := range map[string]string{
		"[versions.\"1.27\"]\nchecksum = \"12\"": `versions."1.27" checksum has 2 hex digits`,
		"[versions.x]\nchecksum = \"00000027\"":  "not a game version",
		"[versions.\"1.27\"]\nchecksm = \"12\"":  `.checksm"; did you mean "checksum"?`,
	} {
		if _, err := apply(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestTwoNamesOfAVersion: a file says the same each time that it is read.
func TestTwoNamesOfAVersion(t *testing.T) {
	for range 32 {
		m, err := apply(t, "[versions.27]\nchecksum = \"00000002\"\n[versions.\"1.27\"]\nchecksum = \"00000001\"\n")
		if err != nil || m.For(27).Checksum != 2 {
			t.Fatalf("checksum %d (%v), want 2: the name 27 is behind 1.27", m.For(27).Checksum, err)
		}
	}
}
