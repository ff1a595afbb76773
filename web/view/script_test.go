package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/game"
	"w3host/internal/testkit"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// A line of a script is a time and what happens then; indented lines say what comes of it.
// "fact 3 N KIND", "snapshot 3 STAGE name/ping …", "gone 3", "asks", "open TOPIC", "patches".
func TestScripts(t *testing.T) {
	testkit.Scripts(t, "testdata/*.txt", func(*testing.T) testkit.Play {
		v := New()
		return func(line string) ([]string, error) {
			l := testkit.ParseLine(line)
			now := l.At()
			return play(v, l, now), l.Err
		}
	})
}

func play(v *View, l *testkit.ScriptLine, now time.Duration) (out []string) {
	switch l.Name {
	case "fact":
		e := event(l)
		e.At = now
		v.Fact(e)
	case "through":
		v.Through(uint64(l.Int(0)))
	case "snapshot":
		v.Snapshot(now, uint32(l.Int(0)), snapshot(l))
	case "gone":
		v.Snapshot(now, uint32(l.Int(0)), nil)
	case "second":
		v.Second()
	case "asks":
		for _, id := range v.Asks(now) {
			out = append(out, fmt.Sprintf("ask %d", id))
		}
	case "open":
		topic, err := ParseTopic(l.Arg(0))
		l.Fail(err)
		values, ok := v.Open(now, topic)
		if !ok {
			return []string{"there is no such game"}
		}
		only := l.Option("only", "")
		for _, key := range values.Keys() {
			if strings.HasPrefix(key, only) {
				out = append(out, key+" "+show(values.Value(key)))
			}
		}
	case "fleet":
		v.SetFleet(aFleet(l))
	case "patches":
		watched := func(t Topic) bool { return l.Has(t.String()) }
		for _, p := range v.Patches(now, watched, func(t Topic) { out = append(out, "forget "+t.String()) }) {
			out = append(out, p.Topic.String()+" "+string(Encode(p.Ops)))
		}
	default:
		l.Fail(fmt.Errorf("no word %q", l.Name))
	}
	return out
}

// aFleet reads "NUMBER HOST/NAME/PLACES … HOST-GAME/NAME/PLAYERS …".
func aFleet(l *testkit.ScriptLine) *Fleet {
	f := &Fleet{Number: l.Int(0), Away: l.Has("away")}
	names := map[int]string{}
	for _, word := range l.Args[min(1, len(l.Args)):] {
		if word == "away" {
			continue
		}
		parts := strings.Split(word, "/")
		host, id, isGame := strings.Cut(parts[0], "-")
		number := int(l.Number(host))
		switch {
		case isGame:
			f.Games = append(f.Games, FleetGame{
				Host: number, HostName: names[number], ID: uint32(l.Number(id)), Name: parts[1], Map: "echo.w3x", Players: strings.Split(parts[2], "+"),
				Private: strings.HasSuffix(word, "/private"), Playing: strings.HasSuffix(word, "/playing"), Since: time.Unix(1, 0),
			})
		default:
			names[number] = parts[1]
			f.Hosts = append(f.Hosts, FleetHost{Number: number, Name: parts[1], Places: int(l.Number(parts[2])), Draining: strings.HasSuffix(word, "/draining")})
		}
	}
	return f
}

var kinds = map[string]Kind{
	"changed": Changed, "opened": Opened, "joined": Joined, "left": Left, "said": Said, "host-said": HostSaid, "started": Started, "loaded": Loaded,
	"turns": Turns, "lag": LagBegan, "goes-on": LagEnded, "desync": Desynced, "lost": LinkLost, "back": LinkResumed,
	"command": Commanded, "ended": Ended,
}

func event(l *testkit.ScriptLine) *Event {
	e := &Event{Game: uint32(l.Int(0)), N: uint64(l.Int(1)), Kind: kinds[l.Arg(2)], Name: l.Option("who", ""), PID: uint8(l.Number(l.Option("pid", "")))}
	e.Text, e.Refused = l.Text, l.Option("refused", "")
	e.Line, e.Kicked = texts.Plain(l.Text), l.Has("kicked")
	if l.Has("allies") {
		e.To = ToAllies
	}
	late, err := time.ParseDuration(l.Option("late", "0s"))
	l.Fail(err)
	e.Late = Lateness{Turns: 10, Median: late / 2, Max: late}
	return e
}

// snapshot reads "NUMBER STAGE NAME/PING …".
func snapshot(l *testkit.ScriptLine) *game.Snapshot {
	s := &game.Snapshot{
		Name: "Fun", Map: game.Map{Name: "Echo Isles", File: "(2)EchoIsles.w3x", Size: 300000}, Version: w3gs.DefaultVersion, Listed: !l.Has("private"),
		Period: 100 * time.Millisecond, Waits: texts.Plain(l.Text),
		Stage: game.Stage(slices.Index([]string{"lobby", "counting", "loading", "playing", "lagging"}, l.Arg(1))),
	}
	s.Watchers = l.Number(l.Option("watchers", "0"))
	if l.Has("again") {
		s.Since = time.Minute
	}
	for i, word := range l.Args[2:] {
		name, ping, _ := strings.Cut(word, "/")
		slot := game.SnapshotSlot{Slot: w3gs.Slot{Status: w3gs.SlotOpen, Team: uint8(i % 2), Colour: uint8(i)}, Race: texts.Of("orc")}
		if name != "-" {
			slot.PID, slot.Status, slot.Download, slot.Name, slot.Loaded = uint8(i+1), w3gs.SlotOccupied, 100, name, true
			slot.RTT = time.Duration(l.Number(ping)) * time.Millisecond
			slot.Lags = s.Stage == game.StageLagging && i == 0
		}
		s.Slots = append(s.Slots, slot)
	}
	s.Counts = lobby.Counts{Humans: len(s.Slots) / 2, Open: (len(s.Slots) + 1) / 2, Total: len(s.Slots)}
	return s
}

func show(v Value) string {
	switch {
	case v.Tail != nil:
		return fmt.Sprintf("… %d %q", v.Tail.End, v.Tail.Items)
	case v.Rows != nil:
		return fmt.Sprintf("%v", v.Rows)
	}
	return fmt.Sprintf("%q", v.Text)
}
