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

// TestScripts plays testdata/script/*.txt. A line calls a method of the scheduler, the
// indented lines behind it are its calls of the sink, `#` begins a comment:
//
//	config size=N mode=on|off|ask total=N player=N max=N timeout=D stall=D wait=D
//	D report PID FLAG BYTES        0x42
//	D ack PID BYTES [TO FROM]      0x44
//	D refuse PID [TO FROM]         0x45
//	D allow PID | D leave PID | D mode on|off|ask
//	D measured PID QUEUED UNACKED RTT MINRTT [ADDR]
//	D late D | D tick
//	D next                         when the scheduler wants its next tick
//
// D is the time since the game began, as 1.5s or 20ms.
func TestScripts(t *testing.T) {
	testkit.Scripts(t, "testdata/script/*.txt", func(t *testing.T) testkit.Play {
		sink := &printer{}
		var s *Scheduler
		return func(line string) ([]string, error) {
			sink.lines = nil
			if words := strings.Fields(line); words[0] == "config" {
				s = New(scriptConfig(t, words[1:]), sink)
				return nil, nil
			}
			l := testkit.ParseLine(line)
			play(s, l, sink)
			return sink.lines, l.Err
		}
	})
}

func play(s *Scheduler, l *testkit.ScriptLine, sink *printer) {
	now, pid := l.At(), func() uint8 { return uint8(l.Int(0)) }
	pids := func(at int) (to, from uint8) {
		if len(l.Args) > at {
			return uint8(l.Int(at)), uint8(l.Int(at + 1))
		}
		return hostPID, pid()
	}
	switch l.Name {
	case "report":
		s.Report(now, pid(), w3gs.MapSize{Flag: w3gs.MapFlag(l.Int(1)), Size: uint32(l.Int(2))})
	case "ack":
		to, from := pids(2)
		s.Ack(now, pid(), w3gs.MapPartOK{To: to, From: from, Size: uint32(l.Int(1))})
	case "refuse":
		to, from := pids(1)
		s.Refuse(now, pid(), w3gs.MapPartNotOK{To: to, From: from})
	case "allow":
		s.Allow(now, pid())
	case "leave":
		s.Leave(now, pid())
	case "mode":
		mode, err := ParseMode(l.Arg(0))
		l.Fail(err)
		s.SetMode(now, mode)
	case "late":
		s.Late(now, l.Duration(0))
	case "measured":
		f := Figures{Queued: l.Int(1), Unacked: l.Int(2), RTT: l.Duration(3), MinRTT: l.Duration(4)}
		if len(l.Args) > 5 {
			f.Addr = netip.MustParseAddr(l.Arg(5))
		}
		s.Measured(now, pid(), f)
	case "tick":
		s.Tick(now)
	case "next":
		if at, ok := s.Next(); ok {
			sink.add("%v", at)
		} else {
			sink.add("never")
		}
	default:
		l.Err = fmt.Errorf("unknown method")
	}
}

// printer is a sink that writes down each call as one line.
type printer struct{ lines []string }

func (p *printer) add(format string, args ...any) {
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

func (p *printer) Begin(pid uint8)                  { p.add("begin %d", pid) }
func (p *printer) Parts(pid uint8, off, end uint32) { p.add("parts %d %d-%d", pid, off, end) }
func (p *printer) Percent(pid, percent uint8)       { p.add("percent %d %d", pid, percent) }
func (p *printer) Queued(pid uint8, place int)      { p.add("queued %d place %d", pid, place) }
func (p *printer) Refused(pid uint8, why Why)       { p.add("refused %d: %v", pid, why) }
func (p *printer) Ignored(pid uint8, why Why)       { p.add("ignored %d: %v", pid, why) }
func (p *printer) Remove(pid uint8, why Why)        { p.add("remove %d: %v", pid, why) }

func (p *printer) Ended(pid uint8, d Download) {
	line := fmt.Sprintf("ended %d %d bytes in %v, %d again", pid, d.Bytes, d.Took, d.Resent)
	if d.Why != 0 {
		line += ": " + d.Why.String()
	}
	p.add("%s", line)
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

func duration(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
