package command

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"w3host/w3gs"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]Command{
		"start":                  Start{},
		" START  Force":          Start{Force: true},
		"start now":              Start{Force: true, Now: true},
		"a":                      Abort{},
		"autostart 10":           AutoStart{Players: 10},
		"autostart 6 2":          AutoStart{Players: 6, Hold: 2 * time.Minute},
		"autostart off":          AutoStart{Off: true},
		"open 1 12":              Open{[]int{1, 12}},
		"close 3":                Close{[]int{3}},
		"swap 1  2":              Swap{1, 2},
		"sp":                     Shuffle{},
		"hold Blue Red":          Hold{[]string{"Blue", "Red"}},
		"kick blue too slow":     Kick{Player: "blue", Reason: "too slow"},
		"closekick blue":         Kick{Player: "blue", CloseSlot: true},
		"comp 4":                 Computer{Slot: 4, AI: w3gs.AINormal},
		"comp 4 insane":          Computer{Slot: 4, AI: w3gs.AIInsane},
		"compteam 4 2":           Team{Target{Slot: 4}, 2},
		"colour blue teal":       Colour{Target{Player: "blue"}, 2},
		"color blue 12":          Colour{Target{Player: "blue"}, 11},
		"race blue ne":           Race{Target{Player: "blue"}, w3gs.RaceNightElf},
		"handicap blue 80":       Handicap{Target{Player: "blue"}, 80},
		"fp":                     FakePlayer{1},
		"fakeplayer 3":           FakePlayer{3},
		"hcl ap so":              HCL{"ap so"},
		"latency":                Latency{},
		"latency 80":             Latency{80 * time.Millisecond},
		"synclimit 60":           SyncLimit{60},
		"downloads ask":          Downloads{"ask"},
		"say gl  hf":             Say{"gl  hf"},
		"ping 300":               Ping{300 * time.Millisecond},
		"help start":             Help{"start"},
		"owner two words":        SetOwner{"two words"},
		"unmuteall":              MuteAll{Off: true},
		"comphandicap 2 50":      Handicap{Target{Slot: 2}, 50},
		"comprace 2 undead":      Race{Target{Slot: 2}, w3gs.RaceUndead},
		"compcolour 2 lightblue": Colour{Target{Slot: 2}, 9},
	} {
		call, err := Parse(line, nil)
		if err != nil || !reflect.DeepEqual(call.Command, want) {
			t.Errorf("%q: got %#v, %v; want %#v", line, call.Command, err, want)
		}
	}
}

// A name with spaces in it is the longest row of words that a player's name holds,
// or stands in quotes.
func TestNamesWithSpaces(t *testing.T) {
	names := []string{"Ann", "Ann Lee", "too slow", "Bob 2"}
	for line, want := range map[string]Command{
		"kick ann lee":             Kick{Player: "ann lee"},
		"kick ANN LEE too slow":    Kick{Player: "ANN LEE", Reason: "too slow"},
		"kick ann le":              Kick{Player: "ann le"},
		"kick ann has to go":       Kick{Player: "ann", Reason: "has to go"},
		"kick n lee":               Kick{Player: "n lee"},
		`kick "ann" lee`:           Kick{Player: "ann", Reason: "lee"},
		`closekick "too slow"  x`:  Kick{Player: "too slow", Reason: "x", CloseSlot: true},
		"kick zoe is gone":         Kick{Player: "zoe", Reason: "is gone"},
		"team ann lee 2":           Team{Target{Player: "ann lee"}, 2},
		"team bob 2":               Team{Target{Player: "bob"}, 2},
		"team bob 2 1":             Team{Target{Player: "bob 2"}, 1},
		"team zoe doe 300":         Team{Target{Player: "zoe doe"}, 255},
		`race "ann lee" orc`:       Race{Target{Player: "ann lee"}, w3gs.RaceOrc},
		"mute ann lee":             Mute{Player: "ann lee"},
		`unmute "ann lee"`:         Mute{Player: "ann lee", Off: true},
		`owner "ann lee"`:          SetOwner{"ann lee"},
		"download somebody absent": Download{"somebody absent"},
		`hold "ann lee" bob`:       Hold{[]string{"ann lee", "bob"}},
	} {
		call, err := Parse(line, names)
		if err != nil || !reflect.DeepEqual(call.Command, want) {
			t.Errorf("%q: got %#v, %v; want %#v", line, call.Command, err, want)
		}
	}
}

// Every fault answers with what to type.
func TestFaultsSayWhatToType(t *testing.T) {
	for line, want := range map[string]string{
		"strat":             `there is no command "strat": help lists them`,
		"":                  `there is no command ""`,
		"start fast":        `"fast" is neither force nor now: write start [force|now]`,
		"open":              `the slot is missing: write open <slot> ...`,
		"open 1 x":          `the slot must be a number from 1: write open <slot> ...`,
		"swap 1":            `the slot is missing: write swap <slot> <slot>`,
		"swap 1 2 3":        `"3" is too much: write swap <slot> <slot>`,
		"latency 5":         `the number of milliseconds must be from 20 to 500: write latency [20-500]`,
		"downloads":         `"" is none of on, off, ask`,
		"race blue naga":    `"naga" is no race`,
		"colour blue black": `"black" is no colour`,
		"kick":              `the player is missing`,
		"say":               `the text is missing`,
		"autostart 0":       `the number of players must be a number from 1`,
		"handicap blue 55":  `the handicap must be from 50 to 100 in tens`,
		"comphandicap 1 40": `the handicap must be from 50 to 100`,
		"team a b c":        `the team must be a number from 1`,
		`kick "ann`:         `the quote is not closed`,
		"hold":              `the name is missing`,
		"mute":              `the player is missing`,
	} {
		_, err := Parse(line, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", line, err, want)
		}
	}
}

// Asking may need less than setting.
func TestLevels(t *testing.T) {
	for line, want := range map[string]Level{
		"ping": Anyone, "ping 200": Owner, "owner": Anyone, "owner x": Owner, "start": StandIn, "abort": StandIn, "help": Anyone, "latency": Owner,
	} {
		if call, err := Parse(line, nil); err != nil || call.Needs != want {
			t.Errorf("%q needs %v (%v), want %v", line, call.Needs, err, want)
		}
	}
}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Table() {
		if s.Help == "" || s.Phase == 0 || s.parse == nil {
			t.Errorf("%s is not complete", s.Name)
		}
		for _, name := range append([]string{s.Name}, s.Aliases...) {
			if seen[name] {
				t.Errorf("%s stands twice", name)
			}
			seen[name] = true
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("start force")
	f.Add("autostart 10 \x00")
	f.Add(`kick "ann lee" "`)
	f.Add("team ann lee  2")
	f.Add("colour \xff 99999999999999999999")
	f.Fuzz(func(t *testing.T, line string) {
		call, err := Parse(line, []string{"Ann Lee", "\xff", line})
		if (err == nil) != (call.Command != nil) {
			t.Errorf("%q: %#v and %v", line, call.Command, err)
		}
	})
}
