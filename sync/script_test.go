package gamesync

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// TestScripts plays testdata/*.txt. A script is a game: a line that begins at
// the margin calls a method, the indented lines below are all its calls of the sink,
// packets in hex.
func TestScripts(t *testing.T) {
	testkit.Scripts(t, "testdata/*.txt", func(*testing.T) testkit.Play { return (&scene{cfg: Defaults()}).call })
}

// scene is a game, and its sink.
type scene struct {
	hashes bool // settled turns are told
	cfg    Config
	pids   map[string]uint8
	l      *Loop
	told   []string
}

// call plays one line.
func (s *scene) call(text string) ([]string, error) {
	switch words := strings.Fields(text); words[0] {
	case "config":
		return nil, s.config(words[1:])
	case "players":
		return nil, s.players(words[1:])
	}
	if s.l == nil {
		s.l = New(s.cfg, s)
	}
	line := testkit.ParseLine(text)
	now, pid := line.At(), s.pids[line.Arg(0)]
	s.told = nil
	switch line.Name {
	case "load":
		s.l.Loaded(now, pid)
	case "act":
		data, err := actionData(line.Arg(1))
		line.Fail(err)
		for range max(line.Int(2), 1) {
			s.l.Action(now, pid, data)
		}
	case "ack":
		hash, err := strconv.ParseUint(line.Arg(1), 16, 32)
		line.Fail(err)
		for range max(line.Int(2), 1) {
			s.l.Keepalive(now, pid, uint32(hash))
		}
	case "vote":
		s.l.DropVote(now, pid)
	case "leave":
		s.l.Leave(now, pid, w3gs.LeaveReason(line.Int(1)))
	case "tick":
		s.l.Tick(now)
	case "run":
		for at, ok := s.l.Next(); ok && at <= now; at, ok = s.l.Next() {
			s.tell("at %v", at)
			s.l.Tick(at)
		}
	case "next":
		if at, ok := s.l.Next(); ok {
			s.tell("%v", at)
		} else {
			s.tell("never")
		}
	case "period":
		s.l.SetPeriod(now, line.Duration(0))
	case "limit":
		s.l.SetSyncLimit(now, line.Int(0))
	case "droplaggers":
		s.l.DropLaggers(now)
	case "rtt":
		s.l.RTT(now, pid, time.Duration(line.Int(1))*time.Millisecond)
	case "backlog":
		s.l.Backlog(now, pid, line.Int(1), uint64(line.Int(2)))
	case "lost":
		s.l.Lost(now, pid, line.Duration(1))
	case "back":
		s.l.Back(now, pid)
	case "stop":
		s.l.End(now, texts.Known("the host is shutting down"))
	case "end":
		s.l.End(now, texts.Text{})
	default:
		return nil, fmt.Errorf("unknown method")
	}
	return s.told, line.Err
}

func (s *scene) config(words []string) error {
	s.cfg = Defaults()
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		d, _ := time.ParseDuration(value)
		switch key {
		case "period":
			s.cfg.Period = d
		case "limit":
			s.cfg.SyncLimit, _ = strconv.Atoi(value)
		case "drop":
			s.cfg.DropAfter = d
		case "reset":
			s.cfg.LagReset = d
		case "loadtimeout":
			s.cfg.LoadTimeout = d
		case "loadbehind":
			s.cfg.LoadBehind = d
		case "rate":
			s.cfg.ActionRate, _ = strconv.Atoi(value)
		case "burst":
			s.cfg.ActionBurst, _ = strconv.Atoi(value)
		case "empties":
			s.cfg.Empties, _ = strconv.Atoi(value)
		case "countdown":
			s.cfg.Countdown = d
		case "loadingame":
			s.cfg.LoadInGame = true
		case "lastplayers":
			s.cfg.LastPlayers, _ = strconv.Atoi(value)
		case "observersstop":
			s.cfg.ObserversNeverStop = false
		case "adaptive":
			s.cfg.Adaptive.On = true
		case "share":
			s.cfg.ShareUnits = true
		case "settled":
			s.hashes = true
		default:
			return fmt.Errorf("unknown setting %s", key)
		}
	}
	return nil
}

func (s *scene) players(names []string) error {
	s.pids = map[string]uint8{}
	for i, w := range names {
		w, team, _ := strings.Cut(w, ":")
		name, kind, _ := strings.Cut(w, "/")
		p := Player{PID: uint8(i + 1), Name: name, Observer: kind == "observer", Fake: kind == "fake", Proxied: kind == "proxied", Slot: uint8(i)}
		if team != "" {
			p.Team = team[0] - '0'
		}
		s.pids[name] = p.PID
		s.cfg.Players = append(s.cfg.Players, p)
	}
	return nil
}

func (s *scene) tell(format string, args ...any) {
	s.told = append(s.told, fmt.Sprintf(format, args...))
}

func (s *scene) Frames(to w3gs.PIDs, frames []byte) {
	s.tell("to %s: %s", pidList(to), packets(frames))
}

func (s *scene) Drop(pid uint8, why DropReason, loading bool) {
	s.tell("drop %d reason %d, %s%s", pid, why.reason(), why, map[bool]string{true: ", loading"}[loading])
}

func (s *scene) Left(pid uint8, reason w3gs.LeaveReason, why DropReason) {
	s.tell("left %d reason %d, %s, turn %d", pid, reason, why, s.l.Turns())
}

func (s *scene) Say(to w3gs.PIDs, line texts.Text) { s.tell("say to %s: %s", pidList(to), line) }

func (s *scene) Ballots(of, _ w3gs.PIDs) int { return of.Len() }
func (s *scene) Entered()                    { s.tell("entered") }

func (s *scene) Loaded(pid uint8, after time.Duration) { s.tell("loaded %d after %s", pid, after) }

func (s *scene) Over(end Over) { s.tell("over: %s, %d turns, %s", end.How, end.Turns, end.GameTime) }

// Fact writes a fact as one line.
func (s *scene) Fact(f Fact) {
	switch f := f.(type) {
	case *Started:
		s.tell("started after %s", f.After)
	case *Turn:
		s.tell("turn %d +%dms, late %s, %s", f.Number, f.Increment, f.Late, shortHex(f.Actions))
	case *Settled:
		if s.hashes {
			s.tell("settled %d %08x", f.Turn, uint32(f.Hash))
		}
	case *Empty:
		s.tell("%d empty", f.Count)
	case *PeriodChanged:
		s.tell("period %s from turn %d, adaptive %v", f.Period, f.Turn, f.Adaptive)
	case *ScreenUp:
		s.tell("screen after turn %d: %s", f.Turn, pidList(f.Laggers))
	case *Lag:
		line := fmt.Sprintf("lag after turn %d, stood %s, host late %s", f.Turn, f.Stood, f.HostLate)
		for _, l := range f.Players {
			line += fmt.Sprintf("; %s %d turns %s, waited %s, rtt %s, queued %d, %s, gone %v", l.Name,
				l.Turns, l.Behind, l.Waited, l.RTT, l.Queued, l.Cause, l.Gone)
		}
		s.tell("%s", line)
	case *Desync:
		line := fmt.Sprintf("desync at turn %d (%s), ends %v", f.Turn, f.GameTime, f.Ends)
		for _, gr := range f.Groups {
			line += fmt.Sprintf("; %x %s goes on %v", uint32(gr.Hash), pidList(gr.PIDs), gr.GoesOn)
		}
		s.tell("%s", line)
	default:
		s.tell("%T", f)
	}
}

func pidList(s w3gs.PIDs) string {
	var list []string
	for pid := range s.All() {
		list = append(list, strconv.Itoa(int(pid)))
	}
	return strings.Join(list, ",")
}

// packets writes a frame with a bar between packets.
func packets(frame []byte) string {
	var list []string
	for len(frame) > 0 {
		f, rest, err := w3gs.Next(frame, 1460)
		if err != nil {
			return "broken: " + err.Error()
		}
		list, frame = append(list, shortHex(f)), rest
	}
	return strings.Join(list, " | ")
}

// shortHex writes bytes; of many only the first and how many there are.
func shortHex(b []byte) string {
	switch {
	case len(b) == 0:
		return "empty"
	case len(b) > 64:
		return fmt.Sprintf("% x … %d bytes", b[:16], len(b))
	}
	return fmt.Sprintf("% x", b)
}

// actionData reads hex digits, or "500*7f" for many of one byte.
func actionData(s string) ([]byte, error) {
	n, digits, many := strings.Cut(s, "*")
	if !many {
		return hex.DecodeString(s)
	}
	b, err := hex.DecodeString(digits)
	count, err2 := strconv.Atoi(n)
	if err != nil || err2 != nil {
		return nil, fmt.Errorf("bad action %q", s)
	}
	return bytes.Repeat(b, count), nil
}
