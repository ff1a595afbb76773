package command

import (
	"fmt"
	"strings"
	"time"

	"w3host/w3gs"
)

// Call is a command that somebody typed.
type Call struct {
	Spec    Spec
	Command Command
	Needs   Level // who may do this; asking may need less than setting
}

// Parse reads a line without its trigger. The names are the players', so that one
// with spaces in it can be told from what follows it. The error is one line for
// whoever typed it.
func Parse(line string, names []string) (Call, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	name = strings.ToLower(name)
	spec, ok := Find(name)
	if !ok {
		return Call{}, fmt.Errorf("there is no command %q: help lists them", name)
	}
	a := &args{spec: &spec, left: strings.TrimSpace(rest), names: names}
	call := Call{Spec: spec, Needs: spec.Level}
	if a.left == "" && spec.AskAnyone {
		call.Needs = Anyone
	}
	call.Command = spec.parse(a)
	if a.err == nil && a.left != "" {
		a.fail("%q is too much", a.left)
	}
	if a.err != nil {
		return Call{Spec: spec, Needs: call.Needs}, fmt.Errorf("%w: write %s", a.err, spec.Synopsis())
	}
	return call, nil
}

// Synopsis is the command with its arguments.
func (s Spec) Synopsis() string { return strings.TrimSpace(s.Name + " " + s.Usage) }

func parseStart(a *args) Command {
	switch w := strings.ToLower(a.optional()); w {
	case "":
		return Start{}
	case "force":
		return Start{Force: true}
	case "now":
		return Start{Force: true, Now: true}
	default:
		a.fail("%q is neither force nor now", w)
		return Start{}
	}
}

func parseAutoStart(a *args) Command {
	if strings.EqualFold(a.left, "off") {
		a.left = ""
		return AutoStart{Off: true}
	}
	c := AutoStart{Players: a.ordinal("number of players")}
	if a.left != "" {
		c.Hold = time.Duration(a.number("number of minutes", 0, 24*60)) * time.Minute
	}
	return c
}

func parseComputer(a *args) Command {
	c := Computer{Slot: a.slot(), AI: w3gs.AINormal}
	switch w := strings.ToLower(a.optional()); w {
	case "", "normal":
	case "easy":
		c.AI = w3gs.AIEasy
	case "insane":
		c.AI = w3gs.AIInsane
	default:
		a.fail("%q is none of easy, normal, insane", w)
	}
	return c
}

func parseFakePlayer(a *args) Command {
	if a.left == "" {
		return FakePlayer{Count: 1}
	}
	return FakePlayer{Count: a.ordinal("number of players")}
}

func parseLatency(a *args) Command {
	if a.left == "" {
		return Latency{}
	}
	return Latency{time.Duration(a.number("number of milliseconds", 20, 500)) * time.Millisecond}
}

func parseSyncLimit(a *args) Command {
	if a.left == "" {
		return SyncLimit{}
	}
	return SyncLimit{a.number("number of turns", 2, 10000)}
}

func parsePing(a *args) Command {
	if a.left == "" {
		return Ping{}
	}
	return Ping{time.Duration(a.number("number of milliseconds", 1, 60000)) * time.Millisecond}
}

func parseOwner(a *args) Command {
	if a.left == "" {
		return SetOwner{}
	}
	return SetOwner{a.onlyPlayer()}
}
