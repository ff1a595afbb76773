package command

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"w3host/texts"
)

// target is what the commands of this test act on.
type target struct{ done string }

func says(format string, values ...any) Act[*target] {
	return func(d *target, _ *Call) error { d.done = fmt.Sprintf(format, values...); return nil }
}

var table = Grouped("talk", Table[*target]{
	{Name: "help", Usage: "[command]", Help: "h", Phase: Always, Parse: func(a *Args) Act[*target] { return says("help %q", a.Rest()) }},
	{Name: "abort", Aliases: []string{"a"}, Help: "h", Level: StandIn, Phase: InLobby, Parse: func(*Args) Act[*target] { return says("abort") }},
	{Name: "latency", Forms: map[string]string{"fast": "40"}, Usage: "<ms>", Help: "h", Examples: []string{"latency 40"}, Level: Owner, Phase: Always, Parse: func(a *Args) Act[*target] { return says("latency %d", a.Number("number of milliseconds", 1, 500)) }},
	{Name: "swap", Usage: "<slot> <slot>", Help: "h", Level: Owner, Phase: InLobby, Parse: func(a *Args) Act[*target] { return says("swap %d %d", a.Slot(), a.Slot()) }},
	{Name: "open", Usage: "<slot> ...", Help: "h", Level: Owner, Phase: InLobby, Parse: func(a *Args) Act[*target] { return says("open %v", a.Slots()) }},
	{Name: "kick", Usage: "<player> [reason]", Help: "h", Level: Owner, Phase: Always, Parse: func(a *Args) Act[*target] { return says("kick %q %q", a.Player(0), a.Rest()) }},
	{Name: "mute", Usage: "<player>", Help: "h", Level: Owner, Phase: Always, Parse: func(a *Args) Act[*target] { return says("mute %q", a.OnlyPlayer()) }},
	{Name: "team", Usage: "<player> <team>", Help: "h", Level: Owner, Phase: InLobby, Parse: func(a *Args) Act[*target] { return says("team %q %d", a.Player(1), a.Ordinal("team")) }},
	{Name: "race", Usage: "<player> <race>", Help: "h", Level: Owner, Phase: InLobby, Parse: func(a *Args) Act[*target] { return says("race %q %#x", a.Player(1), a.Race()) }},
	{Name: "colour", Usage: "<player> <colour>", Help: "h", Level: Owner, Phase: InLobby, Parse: func(a *Args) Act[*target] { return says("colour %q %d", a.Player(1), a.Colour()) }},
	{Name: "handicap", Usage: "<player> <50-100>", Help: "h", Level: Owner, Phase: InLobby, Parse: func(a *Args) Act[*target] { return says("handicap %q %d", a.Player(1), a.Handicap()) }},
	{Name: "hold", Usage: "<name> ...", Help: "h", Level: Owner, Phase: InLobby, Parse: func(a *Args) Act[*target] { return says("hold %q", a.NameList()) }},
	{Name: "downloads", Usage: "<on|off|ask>", Help: "h", Level: Owner, Phase: InLobby, Parse: func(a *Args) Act[*target] { return says("downloads %s", a.OneOf("on", "off", "ask")) }},
	{Name: "say", Usage: "<text>", Help: "h", Level: Owner, Phase: Always, Parse: func(a *Args) Act[*target] { return says("say %q", a.Text("text")) }},
	{Name: "ping", Usage: "[ms]", Help: "h", Level: Owner, AskAnyone: true, Phase: Always, Parse: func(a *Args) Act[*target] {
		if a.Empty() {
			return says("ping")
		}
		return says("ping %d", a.Number("number of milliseconds", 1, 60000))
	}},
	{Name: "drop", Help: "h", Level: Owner, Phase: InGame, Parse: func(*Args) Act[*target] {
		return func(_ *target, c *Call) error { c.Target = "Bob"; return errors.New("nobody lags") }
	}},
})

// A table's level and phase are those of its commands which name none.
func TestFor(t *testing.T) {
	got := ""
	for _, s := range For(Owner, InLobby, Table[*target]{{Name: "swap"}, {Name: "start", Level: StandIn}, {Name: "mute", Phase: Always}}) {
		got += fmt.Sprintf("%s: %v, %v. ", s.Name, s.Level, s.Phase)
	}
	if want := "swap: the owner, lobby. start: the owner or a stand-in, lobby. mute: the owner, lobby and the game. "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestParseSpan(t *testing.T) {
	for text, want := range map[string]string{
		"30m": "30m0s", "1d12h": "36h0m0s", "2W": "336h0m0s", "7 days": "168h0m0s", "7days": "168h0m0s", "1 month": "720h0m0s",
		" 1 Hour  30 min ": "1h30m0s", "1y": "8760h0m0s", "10 years": "87600h0m0s", "2 hrs": "2h0m0s", "1mo 1w": "888h0m0s",
		"": "", "5": "", "5 5": "", "m": "", "3x3": "", "1dm": "", "7d x": "", "0d": "", "-1d": "", "1.5h": "", "30s": "", "7 dayss": "",
		"99999999999999999999m": "", "999999w": "", "10y 1m": "", "1s": "", "ms": "", "1ds": "",
	} {
		d, err := ParseSpan(text)
		if (err != nil) != (want == "") || err == nil && d.String() != want {
			t.Errorf("%q: %v, %v, want %s", text, d, err, want)
		}
	}
}

func run(level Level, line string, names ...string) (string, Outcome) {
	d := new(target)
	u := table.Find(line)
	if u.Spec == nil {
		return d.done, Outcome{Err: table.Unknown(line, "", level)}
	}
	o := u.Run(d, InLobby, &Caller{Level: level}, names)
	return d.done, o
}

func TestRun(t *testing.T) {
	for line, want := range map[string]string{
		"a": "abort", " ABORT ": "abort", "swap 1  2": "swap 0 1", "open 1 12": "open [0 11]",
		"kick blue too slow": `kick "blue" "too slow"`, "say gl  hf": `say "gl  hf"`, "help start": `help "start"`,
		"race blue ne": `race "blue" 0x4`, "colour blue teal": `colour "blue" 2`, "colour blue 12": `colour "blue" 11`,
		"handicap blue 80": `handicap "blue" 80`, "ping": "ping", "ping 300": "ping 300", "downloads ask": "downloads ask",
		"fast": "latency 40", "FAST": "latency 40",
	} {
		if got, o := run(Owner, line); o.Err != nil || got != want || !o.Acted {
			t.Errorf("%q: %s, %+v; want %s", line, got, o, want)
		}
	}
}

// A name with spaces in it is the longest row of words that a player's name holds,
// or stands in quotes.
func TestNamesWithSpaces(t *testing.T) {
	names := []string{"Ann", "Ann Lee", "too slow", "Bob 2"}
	for line, want := range map[string]string{
		"kick ann lee": `kick "ann lee" ""`, "kick ANN LEE too slow": `kick "ANN LEE" "too slow"`,
		"kick ann le": `kick "ann le" ""`, "kick ann has to go": `kick "ann" "has to go"`,
		"kick n lee": `kick "n lee" ""`, `kick "ann" lee`: `kick "ann" "lee"`,
		`kick "too slow"  x`: `kick "too slow" "x"`, `kick "ann"" 1s ""x" y`: `kick "ann\" 1s \"x" "y"`, `kick "" x`: `kick "" "x"`, "kick zoe is gone": `kick "zoe" "is gone"`,
		"team ann lee 2": `team "ann lee" 2`, "team bob 2": `team "bob" 2`, "team bob 2 1": `team "bob 2" 1`,
		"team zoe doe 300": `team "zoe doe" 255`, `race "ann lee" orc`: `race "ann lee" 0x2`,
		"mute ann lee": `mute "ann lee"`, `mute "ann lee"`: `mute "ann lee"`, "mute somebody absent": `mute "somebody absent"`,
		`hold "ann lee" bob`: `hold ["ann lee" "bob"]`,
	} {
		if got, o := run(Owner, line, names...); o.Err != nil || got != want {
			t.Errorf("%q: %s, %v; want %s", line, got, o.Err, want)
		}
	}
}

// Every fault answers with what to type, and nothing is done.
func TestFaultsSayWhatToType(t *testing.T) {
	for line, want := range map[string]string{
		"stratagem":         `there is no command "stratagem". Type help for a list`,
		"kcik bob":          `there is no command "kcik". Did you mean kick?`,
		"sawp 1 2":          `there is no command "sawp". Did you mean swap?`,
		"x":                 `there is no command "x". Type help for a list`,
		"fast 50":           `"50" was not expected. Usage: latency <ms>`,
		"":                  `there is no command ""`,
		"open":              `the slot is missing. Usage: open <slot> ...`,
		"open 1 x":          `the slot must be a number from 1. Usage: open <slot> ...`,
		"swap 1":            `the slot is missing. Usage: swap <slot> <slot>`,
		"swap 1 2 3":        `"3" was not expected. Usage: swap <slot> <slot>`,
		"ping 0":            `the number of milliseconds must be from 1 to 60000. Usage: ping [ms]`,
		"downloads":         `one of on, off, ask is missing`,
		"race blue naga":    `"naga" is not a race`,
		"colour blue pitch": `"pitch" is not a colour`,
		"kick":              `the player is missing`,
		"say":               `the text is missing`,
		"handicap blue 55":  `the handicap must be 50, 60, 70, 80, 90 or 100`,
		"handicap blue 40":  `the handicap must be from 50 to 100`,
		"team a b c":        `the team must be a number from 1`,
		`kick "ann`:         `the closing quote is missing`,
		"hold":              `the name is missing`,
		"mute":              `the player is missing`,
		"drop":              `the command drop works only in the game`,
	} {
		done, o := run(Owner, line)
		if o.Err == nil || !strings.Contains(o.Err.Error(), want) || done != "" || o.Acted {
			t.Errorf("%q: %q, %+v, want %q", line, done, o, want)
		}
	}
}

// Programs go by the code of a refusal.
func TestCodes(t *testing.T) {
	for line, want := range map[string]texts.Code{"stratagem": texts.Unknown, "swap 1": texts.Malformed, "drop": texts.WrongPhase} {
		_, o := run(Owner, line)
		var r *texts.Refusal
		if !errors.As(o.Err, &r) || r.Code != want {
			t.Errorf("%q: %#v, want %s", line, o.Err, want)
		}
	}
	_, o := run(Anyone, "swap 1 2")
	var r *texts.Refusal
	if !errors.As(o.Err, &r) || r.Code != texts.Denied {
		t.Errorf("%#v", o.Err)
	}
}

// Asking may need less than setting, and whoever may not does nothing.
func TestLevels(t *testing.T) {
	for line, want := range map[string]Level{
		"ping": Anyone, "ping 200": Owner, "abort": StandIn, "help": Anyone, "kick x": Owner,
	} {
		if needs := table.Find(line).Needs(); needs != want {
			t.Errorf("%q needs %v, want %v", line, needs, want)
		}
		if want == Anyone {
			continue
		}
		done, o := run(want-1, line)
		if !o.Denied || o.Err == nil || done != "" {
			t.Errorf("%q by %v: %q, %+v", line, want-1, done, o)
		}
	}
}

// A refusal of the act itself is an outcome, with its target.
func TestActRefuses(t *testing.T) {
	o := table.Find("drop").Run(new(target), InGame, &Caller{Level: Owner}, nil)
	if want := (Outcome{Target: "Bob", Acted: true, Err: o.Err}); !reflect.DeepEqual(o, want) || o.Err == nil {
		t.Errorf("got %+v", o)
	}
}

func FuzzRun(f *testing.F) {
	for _, line := range []string{"kick ann lee x", "colour \xff 99999999999999999999", `kick "ann lee" "`, "ban x 1d 7 days 9\xff", "team ann lee  2", "ping \x00"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		done, o := run(Owner, line, "Ann Lee", "\xff", line)
		if (o.Err == nil) != (done != "") {
			t.Errorf("%q: %q and %v", line, done, o.Err)
		}
	})
}
