package mapxfer

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/w3gs"
)

// TestScripts plays testdata/script/*.txt. A line is an event, `> ` lines behind
// it are its effects, `#` begins a comment:
//
//	config size=N mode=on|off|ask total=N player=N max=N timeout=D stall=D
//	D report PID FLAG BYTES        0x42
//	D ack PID BYTES [TO FROM]      0x44
//	D refuse PID [TO FROM]         0x45
//	D allow PID | D leave PID | D mode on|off|ask
//	D look PID QUEUED UNACKED RTT MINRTT [ADDR]
//	D late D | D tick
//	D next                         when the scheduler wants its next tick
//
// D is the time since the game began, as 1.5s or 20ms.
func TestScripts(t *testing.T) {
	testkit.Scripts(t, "testdata/script/*.txt", func(t *testing.T, text string) string {
		var s *Scheduler
		return testkit.Effects(t, text, "> ", func(line string) ([]string, error) { return playLine(t, &s, line), nil })
	})
}

func playLine(t *testing.T, s **Scheduler, line string) (lines []string) {
	words := strings.Fields(line)
	if words[0] == "config" {
		*s = New(scriptConfig(t, words[1:]))
		return nil
	}
	effects, note := playEvent(t, *s, words)
	for _, e := range effects {
		lines = append(lines, showEffect(e))
	}
	if note != "" {
		lines = append(lines, note)
	}
	return lines
}

func playEvent(t *testing.T, s *Scheduler, words []string) (effects []Effect, note string) {
	t.Helper()
	now := duration(t, words[0])
	arg := func(i int) int {
		n, err := strconv.Atoi(words[i])
		if err != nil {
			t.Fatalf("%v: %v", words, err)
		}
		return n
	}
	pids := func(at int) (to, from uint8) {
		if len(words) > at {
			return uint8(arg(at)), uint8(arg(at + 1))
		}
		return hostPID, uint8(arg(2))
	}
	switch words[1] {
	case "report":
		return s.Handle(now, Report{uint8(arg(2)), w3gs.MapSize{Flag: w3gs.MapFlag(arg(3)), Size: uint32(arg(4))}}, nil), ""
	case "ack":
		to, from := pids(4)
		return s.Handle(now, Ack{uint8(arg(2)), w3gs.MapPartOK{To: to, From: from, Size: uint32(arg(3))}}, nil), ""
	case "refuse":
		to, from := pids(3)
		return s.Handle(now, Refuse{uint8(arg(2)), w3gs.MapPartNotOK{To: to, From: from}}, nil), ""
	case "allow":
		return s.Handle(now, Allow{uint8(arg(2))}, nil), ""
	case "leave":
		return s.Handle(now, Leave{uint8(arg(2))}, nil), ""
	case "mode":
		mode, err := ParseMode(words[2])
		if err != nil {
			t.Fatal(err)
		}
		return s.Handle(now, SetMode{mode}, nil), ""
	case "late":
		s.Handle(now, Late{duration(t, words[2])}, nil)
		return nil, ""
	case "look":
		f := Figures{Queued: arg(3), Unacked: arg(4), RTT: duration(t, words[5]), MinRTT: duration(t, words[6])}
		if len(words) > 7 {
			f.Addr = netip.MustParseAddr(words[7])
		}
		s.Handle(now, Look{uint8(arg(2)), f}, nil)
		return nil, ""
	case "tick":
		return s.Tick(now, nil), ""
	case "next":
		if at, ok := s.Next(); ok {
			return nil, at.String()
		}
		return nil, "never"
	}
	t.Fatalf("unknown event %q", words)
	return nil, ""
}

func scriptConfig(t *testing.T, words []string) Config {
	t.Helper()
	cfg := Config{MaxWindow: maxWindow}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		n, _ := strconv.Atoi(value)
		switch key {
		case "size":
			cfg.Size = uint32(n)
		case "mode":
			mode, err := ParseMode(value)
			if err != nil {
				t.Fatal(err)
			}
			cfg.Mode = mode
		case "total":
			cfg.TotalRate = int64(n)
		case "player":
			cfg.PlayerRate = int64(n)
		case "max":
			cfg.MaxDownloaders = n
		case "timeout":
			cfg.Timeout = duration(t, value)
		case "stall":
			cfg.Stall = duration(t, value)
		default:
			t.Fatalf("unknown setting %q", word)
		}
	}
	return cfg
}

var kinds = [...]string{
	Begin: "begin", Send: "send", Percent: "percent", Done: "done", Refused: "refused",
	Waiting: "waiting", Ignored: "ignored", TooSlow: "tooslow", Cheat: "cheat",
}

// String names the kind as scripts do.
func (k Kind) String() string { return kinds[k] }

func showEffect(e Effect) string {
	text := fmt.Sprintf("%s %d", e.Kind, e.PID)
	switch e.Kind {
	case Send:
		text += fmt.Sprintf(" %d-%d", e.Offset, e.End)
	case Percent:
		text += fmt.Sprintf(" %d", e.Percent)
	case Done:
		text += fmt.Sprintf(" %d bytes in %v, %d again", e.Bytes, e.Took, e.Resent)
	case Waiting:
		text += fmt.Sprintf(" place %d", e.Place)
	case Refused, Ignored, TooSlow, Cheat:
		text += ": " + e.Why.String()
	}
	return text
}

func duration(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
