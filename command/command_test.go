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
		call, err := Parse(line)
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
		"open 1 x":          `"x" is no slot from 1 to 24`,
		"swap 1":            `the slot is missing: write swap <slot> <slot>`,
		"swap 1 2 3":        `"3" is too much: write swap <slot> <slot>`,
		"latency 5":         `"5" is no number of milliseconds from 20 to 500: write latency [20-500]`,
		"downloads":         `"" is none of on, off, ask`,
		"race blue naga":    `"naga" is no race`,
		"colour blue black": `"black" is no colour`,
		"kick":              `the player is missing`,
		"say":               `the text is missing`,
		"autostart 0":       `"0" is no number of players from 1 to 24`,
	} {
		_, err := Parse(line)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", line, err, want)
		}
	}
}

// Asking may need less than setting.
func TestLevels(t *testing.T) {
	for line, want := range map[string]Level{
		"ping": Anyone, "ping 200": Owner, "owner": Anyone, "owner x": Owner, "start": Owner, "help": Anyone, "latency": Owner,
	} {
		if call, err := Parse(line); err != nil || call.Needs != want {
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
	f.Add("colour \xff 99999999999999999999")
	f.Fuzz(func(t *testing.T, line string) {
		call, err := Parse(line)
		if (err == nil) != (call.Command != nil) {
			t.Errorf("%q: %#v and %v", line, call.Command, err)
		}
	})
}
