package gamesync

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestDossier stores a desync and reads it as an operator would.
func TestDossier(t *testing.T) {
	l := inGame(t, 3, nil)
	var d *Desync
	now := time.Duration(0)
	for turn := 1; turn <= 80 && d == nil; turn++ {
		now += 100 * time.Millisecond
		if turn%10 == 0 {
			l.Action(now, 2, []byte{0xAB, byte(turn)})
		}
		l.Tick(now)
		for pid := uint8(1); pid <= 3; pid++ {
			hash := uint32(turn)
			if pid == 3 && turn == 75 {
				hash = 0xDEADBEEF
			}
			l.Keepalive(now, pid, hash)
			for _, f := range of[*Desync](l.sink.(*facts)) {
				d = f
			}
		}
	}
	if d == nil {
		t.Fatal("no desync")
	}
	if len(d.Past) != 50 || d.Past[0].Number != 26 || d.Past[49].Number != 75 {
		t.Fatalf("%d turns, from %d", len(d.Past), d.Past[0].Number)
	}
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"turn":75,"game_time_ns":7500000000,"ends":false`,
		`{"hash":"0000004b","pids":[1,2],"players":["A","B"],"goes_on":true}`,
		`{"hash":"deadbeef","pids":[3],"players":["C"],"goes_on":false}`,
		`{"number":70,"increment_ms":100,"hashes":[{"pid":1,"hash":"00000046"},{"pid":2,"hash":"00000046"},` +
			`{"pid":3,"hash":"00000046"}],"actions":[{"pid":2,"data":"ab46"}]}`,
		`"line":"desync at turn 75: dropped C"`,
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %s in\n%s", want, b)
		}
	}
}

// TestDossierOfManyActions has more bytes of actions than are kept: the oldest
// turns say so, the newest are whole.
func TestDossierOfManyActions(t *testing.T) {
	l := inGame(t, 3, func(c *Config) { c.ActionBurst = 1 << 20 })
	now := time.Duration(0)
	for turn := range 60 {
		now += 100 * time.Millisecond
		for range 3 {
			l.Action(now, 1, make([]byte, 1000))
		}
		l.Tick(now)
		for pid := uint8(1); pid <= 3; pid++ {
			l.Keepalive(now, pid, uint32(turn))
		}
	}
	past := l.past(60)
	if !past[0].Lost || len(past[0].Actions) != 0 {
		t.Errorf("turn %d: lost %v, %d actions", past[0].Number, past[0].Lost, len(past[0].Actions))
	}
	if last := past[len(past)-1]; last.Lost || len(last.Actions) != 3 || len(last.Actions[2].Data) != 1000 {
		t.Errorf("turn %d: lost %v, %d actions", last.Number, last.Lost, len(last.Actions))
	}
}

// TestLagLineFits has a full game lagging, with names as long as they get.
func TestLagLineFits(t *testing.T) {
	rec := &Lag{HostLate: 2 * time.Second}
	for range 11 {
		rec.Players = append(rec.Players, Lagger{Name: "fifteen letters", Behind: 59 * time.Second, Cause: CauseConnection})
	}
	line := lagLine(rec).String()
	if want := "lag: fifteen letters 59.0 s (connection), fifteen letters 59.0 s (connection) and 9 more; host 2.0 s late"; line != want {
		t.Errorf("%d bytes: %s", len(line), line)
	}
}
