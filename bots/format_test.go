package bots

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

func fullReport() Report {
	return Report{
		Games: 1, GamesRun: 1, Bots: 2, CPU: time.Millisecond, FaultCount: 1,
		Totals:   Totals{LagScreens: 1, OverflowParts: 1},
		Outcomes: map[Outcome]int{OutcomeLeft: 1, OutcomeDropped: 2}, Misbehaved: map[Outcome]int{OutcomeDropped: 1},
		Figures: Figures{Turns: 10, Interval: Summary{Count: 10, P50: 100 * time.Millisecond, P99: 100200 * time.Microsecond}},
		Worst:   Worst{Game: 1, Player: "bot-1", Turn: 3, Interval: 101 * time.Millisecond},
		Faults:  []Fault{{Game: 1, Player: "bot-1", Packet: w3gs.OpIncomingAction, Turn: 7, Text: "increment 1ms"}},
		Downloads: []DownloadReport{
			{Player: "bot-1", Path: "a", Bytes: 1000, Time: time.Second, SHA256: "aa", Intact: true},
			{Player: "bot-2", Path: "b", Bytes: 1000, Time: 2 * time.Second, SHA256: "aa", Intact: true},
		},
		Strangers: []StrangerReport{{Kind: "sends nothing", Count: 2, Closed: 1}},
		Players: []PlayerReport{
			{Name: "bot-1", Outcome: OutcomeLeft},
			{Name: "bot-2", Outcome: OutcomeDropped, Why: "so"},
			{Name: "bot-3", Outcome: OutcomeDropped, Why: "so"},
			{Name: "bot-4", Misbehaves: true, Outcome: OutcomeDropped, Why: "so"},
		},
	}
}

func TestText(t *testing.T) {
	r := fullReport()
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"interval between turns     10  100.00  100.20",
		"bots          2 dropped, 1 left",
		"misbehaving   1 dropped",
		"turns         10 received, 0 missed",
		"longest       101.00 ms before turn 3 of game 1, at bot-1",
		"downloads     2 of 1000 bytes, intact: true, the slowest in 2.00 s (0 KB/s), SHA-256 aa, like b",
		"strangers     1 of 2 closed",
		"bots' CPU     0.00 s, 100.0 us for a player and turn",
		"bot-1 (game 1, turn 7): INCOMING_ACTION (0x0C): increment 1ms",
		"bot-2 and 1 more dropped: so",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// Every key is documented, and every number survives as one.
func TestJSON(t *testing.T) {
	r := fullReport()
	var b bytes.Buffer
	if err := r.WriteJSON(&b, true); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b.Bytes(), []byte("\n")); n != 1 {
		t.Errorf("%d lines", n)
	}
	var o map[string]any
	if err := json.Unmarshal(b.Bytes(), &o); err != nil {
		t.Fatal(err)
	}
	if got := o["interval_ms"].(map[string]any)["p99"]; got != 100.2 {
		t.Errorf("interval_ms.p99 = %v", got)
	}
	doc, err := os.ReadFile("../docs/bots.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	collect(o, keys)
	for key := range keys {
		if Outcome(key) != OutcomeLeft && !bytes.Contains(doc, []byte("`"+key+"`")) {
			t.Errorf("docs/bots.md does not explain %q", key)
		}
	}
	b.Reset()
	if err := r.WriteJSON(&b, false); err != nil || bytes.Contains(b.Bytes(), []byte(`"players"`)) {
		t.Errorf("error %v, or players without --each", err)
	}
}

func collect(v any, keys map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			keys[k] = true
			collect(inner, keys)
		}
	case []any:
		for _, inner := range v {
			collect(inner, keys)
		}
	}
}
