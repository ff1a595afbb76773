package mapxfer

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// TestScripts plays testdata/script/*.txt. A line is an event, indented lines behind
// it are its effects, `#` begins a comment:
//
//	config size=N mode=on|off|ask total=N player=N max=N timeout=D stall=D wait=D
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
	testkit.Scripts(t, "testdata/script/*.txt", func(t *testing.T) testkit.Play {
		var s *Scheduler
		return func(line string) ([]string, error) { return playLine(t, &s, line) }
	})
}

func playLine(t *testing.T, s **Scheduler, line string) (lines []string, err error) {
	if words := strings.Fields(line); words[0] == "config" {
		*s = New(scriptConfig(t, words[1:]))
		return nil, nil
	}
	l := testkit.ParseLine(line)
	effects, note := playEvent(*s, l)
	for _, e := range effects {
		lines = append(lines, showEffect(e))
	}
	if note != "" {
		lines = append(lines, note)
	}
	return lines, l.Err
}

func playEvent(s *Scheduler, l *testkit.ScriptLine) (effects []Effect, note string) {
	now, pid := l.At(), func() uint8 { return uint8(l.Int(0)) }
	pids := func(at int) (to, from uint8) {
		if len(l.Args) > at {
			return uint8(l.Int(at)), uint8(l.Int(at + 1))
		}
		return hostPID, pid()
	}
	switch l.Name {
	case "report":
		return s.Handle(now, Report{pid(), w3gs.MapSize{Flag: w3gs.MapFlag(l.Int(1)), Size: uint32(l.Int(2))}}, nil), ""
	case "ack":
		to, from := pids(2)
		return s.Handle(now, Ack{pid(), w3gs.MapPartOK{To: to, From: from, Size: uint32(l.Int(1))}}, nil), ""
	case "refuse":
		to, from := pids(1)
		return s.Handle(now, Refuse{pid(), w3gs.MapPartNotOK{To: to, From: from}}, nil), ""
	case "allow":
		return s.Handle(now, Allow{pid()}, nil), ""
	case "leave":
		return s.Handle(now, Leave{pid()}, nil), ""
	case "mode":
		mode, err := ParseMode(l.Arg(0))
		l.Fail(err)
		return s.Handle(now, SetMode{mode}, nil), ""
	case "late":
		s.Handle(now, Late{l.Duration(0)}, nil)
	case "look":
		f := Figures{Queued: l.Int(1), Unacked: l.Int(2), RTT: l.Duration(3), MinRTT: l.Duration(4)}
		if len(l.Args) > 5 {
			f.Addr = netip.MustParseAddr(l.Arg(5))
		}
		s.Handle(now, Measured{pid(), f}, nil)
	case "tick":
		return s.Tick(now, nil), ""
	case "next":
		if at, ok := s.Next(); ok {
			return nil, at.String()
		}
		return nil, "never"
	default:
		l.Err = fmt.Errorf("unknown event")
	}
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
		case "wait":
			cfg.Wait = duration(t, value)
		case "stall":
			cfg.Stall = duration(t, value)
		default:
			t.Fatalf("unknown setting %q", word)
		}
	}
	return cfg
}

var kinds = [...]string{
	Begin: "begin", Send: "send", Percent: "percent", Done: "done", Stopped: "stopped", Refused: "refused",
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
	case Stopped:
		text += fmt.Sprintf(" %d bytes in %v, %d again: %v", e.Bytes, e.Took, e.Resent, e.Why)
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
