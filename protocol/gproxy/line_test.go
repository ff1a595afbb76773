package gproxy

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// TestScripts plays testdata/*.txt: one side of a line. Lines are those of
// scene.event; what comes of them is indented.
func TestScripts(t *testing.T) {
	testkit.Scripts(t, "testdata/*.txt", func(t *testing.T) testkit.Play {
		var s scene
		return func(line string) ([]string, error) { return []string{s.event(t, strings.Fields(line))}, nil }
	})
}

type scene struct {
	line Line
	tick uint32
}

// event plays one line:
//
//	got N       N packets come whole
//	pass N      N packets are sent that are never kept
//	keep BYTES  packets are kept from here on
//	send N      N packets of 8 bytes are sent, numbered from 1 on
//	ack N       the other side says that it has N
//	resume N    a new connection brings a count
func (s *scene) event(t *testing.T, words []string) string {
	n, err := strconv.Atoi(words[1])
	if err != nil {
		t.Fatal(err)
	}
	fits := true
	switch words[0] {
	case "got":
		for range n {
			s.line.Got()
		}
	case "pass":
		s.line.Passed(n)
	case "keep":
		s.line.Keep(n)
	case "send":
		var frames []byte
		for range n {
			s.tick++
			frames = (&w3gs.PingFromHost{Tick: s.tick}).AppendTo(frames)
		}
		fits = s.line.Send(frames)
	case "ack":
		err = s.line.Ack(uint32(n))
	case "resume":
		var again []byte
		if again, err = s.line.Resume(uint32(n)); err == nil {
			var ticks []string
			for ; len(again) > 0; again = again[8:] {
				ticks = append(ticks, strconv.Itoa(int(again[4])))
			}
			return fmt.Sprintf("tell %d, send again %s", s.line.Received(), strings.Join(ticks, " "))
		}
	default:
		t.Fatalf("no such event: %s", words[0])
	}
	switch {
	case err != nil:
		return "refused: " + err.Error()
	case !fits:
		return "does not fit: the line cannot be resumed"
	}
	return fmt.Sprintf("got %d, sent %d, kept %d bytes", s.line.got, s.line.sent, s.line.Kept())
}

// TestLine compares a line with a plain list of what was sent.
func TestLine(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var l Line
		l.Passed(r.IntN(100))
		l.Keep(1 << 20)
		base := l.sent
		var all [][]byte
		acked := 0
		for range 300 {
			switch r.IntN(3) {
			case 0:
				for range r.IntN(20) {
					frame := (&w3gs.Raw{ID: w3gs.OpMapQuery, Body: make([]byte, r.IntN(200))}).AppendTo(nil)
					frame[1] = byte(len(all))
					all = append(all, frame)
					if !l.Send(frame) {
						t.Fatal("does not fit")
					}
				}
			case 1:
				acked += r.IntN(len(all) - acked + 1)
				if err := l.Ack(base + uint32(acked)); err != nil {
					t.Fatal(err)
				}
			case 2:
				acked += r.IntN(len(all) - acked + 1)
				got, err := l.Resume(base + uint32(acked))
				want := []byte{}
				for _, frame := range all[acked:] {
					want = append(want, frame...)
				}
				if err != nil || string(got) != string(want) {
					t.Fatalf("seed %d: after %d of %d: %d bytes, want %d; %v", seed, acked, len(all), len(got), len(want), err)
				}
			}
		}
	}
}
