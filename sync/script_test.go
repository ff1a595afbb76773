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

// TestScripts plays testdata/*.txt. A script is a game: lines that begin at
// the margin say what happens and when, the indented lines below are every
// effect of it, packets in hex.
func TestScripts(t *testing.T) {
	testkit.Scripts(t, "testdata/*.txt", func(*testing.T) testkit.Play { return (&scene{cfg: Defaults()}).event })
}

type scene struct {
	hashes bool // settled turns are told
	cfg    Config
	pids   map[string]uint8
	l      *Loop
}

// event plays one line.
func (s *scene) event(text string) ([]string, error) {
	switch words := strings.Fields(text); words[0] {
	case "config":
		return nil, s.config(words[1:])
	case "players":
		return nil, s.players(words[1:])
	}
	if s.l == nil {
		s.l = New(s.cfg)
	}
	line := testkit.ParseLine(text)
	now, pid := line.At(), s.pids[line.Arg(0)]
	var told []string
	do := func(out []Effect) {
		for _, e := range out {
			if _, hash := e.(*Settled); !hash || s.hashes {
				told = append(told, s.describe(e))
			}
		}
	}
	switch line.Name {
	case "load":
		do(s.l.Handle(now, Loaded{pid}, nil))
	case "act":
		data, err := actionData(line.Arg(1))
		line.Fail(err)
		for range max(line.Int(2), 1) {
			do(s.l.Action(now, pid, data, nil))
		}
	case "ack":
		hash, err := strconv.ParseUint(line.Arg(1), 16, 32)
		line.Fail(err)
		for range max(line.Int(2), 1) {
			do(s.l.Keepalive(now, pid, uint32(hash), nil))
		}
	case "vote":
		do(s.l.Handle(now, DropVote{pid}, nil))
	case "leave":
		do(s.l.Handle(now, Leave{pid, w3gs.LeaveReason(line.Int(1))}, nil))
	case "tick":
		do(s.l.Tick(now, nil))
	case "run":
		for at, ok := s.l.Next(); ok && at <= now; at, ok = s.l.Next() {
			told = append(told, "at "+at.String())
			do(s.l.Tick(at, nil))
		}
	case "next":
		at, ok := s.l.Next()
		if told = append(told, at.String()); !ok {
			told[0] = "never"
		}
	case "period":
		do(s.l.Handle(now, SetPeriod{line.Duration(0)}, nil))
	case "limit":
		do(s.l.Handle(now, SetSyncLimit{line.Int(0)}, nil))
	case "droplaggers":
		do(s.l.Handle(now, DropLaggers{}, nil))
	case "rtt":
		s.l.Handle(now, RTT{pid, time.Duration(line.Int(1)) * time.Millisecond}, nil)
	case "backlog":
		s.l.Handle(now, Backlog{pid, line.Int(1), uint64(line.Int(2))}, nil)
	case "lost":
		do(s.l.Handle(now, Absent{pid, line.Duration(1)}, nil))
	case "back":
		do(s.l.Handle(now, Back{pid}, nil))
	case "apart":
		do(s.l.Handle(now, Apart{pid}, nil))
	case "hold":
		do(s.l.Handle(now, Hold{w3gs.Only(pid), line.Duration(1)}, nil))
	case "goon":
		do(s.l.Handle(now, GoOn{}, nil))
	case "rejoin": // NAME ACKED: it has answered the turns that are not settled with 1
		acked := uint32(line.Int(1))
		told = append(told, fmt.Sprintf("joinable: %v", s.l.Joinable(acked)))
		sums := make([]uint32, max(int(acked)-int(s.l.hashes.settled), 0))
		for i := range sums {
			sums[i] = 1
		}
		do(s.l.Handle(now, Rejoin{pid, acked, sums}, nil))
	case "stop":
		do(s.l.Handle(now, End{texts.Known("the host is shutting down")}, nil))
	case "end":
		do(s.l.Handle(now, End{}, nil))
	default:
		return nil, fmt.Errorf("unknown event")
	}
	return told, line.Err
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
		case "rate":
			s.cfg.ActionRate, _ = strconv.Atoi(value)
		case "burst":
			s.cfg.ActionBurst, _ = strconv.Atoi(value)
		case "empties":
			s.cfg.Empties, _ = strconv.Atoi(value)
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

// describe writes an effect as one line.
func (s *scene) describe(e Effect) string {
	switch e := e.(type) {
	case *Broadcast:
		return fmt.Sprintf("to %s: %s", pidList(e.To), packets(e.Frame))
	case *Drop:
		line := fmt.Sprintf("drop %d reason %d, %s", e.PID, e.Reason, e.Why)
		if e.Loading {
			line += ", loading"
		}
		return line
	case *Say:
		return fmt.Sprintf("say to %s: %s", pidList(e.To), e.Text)
	case *PlayerLoaded:
		return fmt.Sprintf("loaded %d after %s", e.PID, e.After)
	case *Started:
		return fmt.Sprintf("started after %s", e.After)
	case *Turn:
		return fmt.Sprintf("turn %d +%dms, late %s, %s", e.Number, e.Increment, e.Late, shortHex(e.Actions))
	case *Settled:
		return fmt.Sprintf("settled %d %08x", e.Turn, uint32(e.Hash))
	case *Empty:
		return fmt.Sprintf("%d empty", e.Count)
	case *PlayerLeft:
		return fmt.Sprintf("left %d reason %d, %s, turn %d", e.PID, e.Reason, e.Why, e.Turn)
	case *PeriodChanged:
		return fmt.Sprintf("period %s from turn %d, adaptive %v", e.Period, e.Turn, e.Adaptive)
	case *ScreenUp:
		return fmt.Sprintf("screen after turn %d: %s", e.Turn, pidList(e.Laggers))
	case *Lag:
		line := fmt.Sprintf("lag after turn %d, stood %s, host late %s", e.Turn, e.Stood, e.HostLate)
		for _, l := range e.Players {
			line += fmt.Sprintf("; %s %d turns %s, waited %s, rtt %s, queued %d, %s, gone %v", l.Name,
				l.Turns, l.Behind, l.Waited, l.RTT, l.Queued, l.Cause, l.Gone)
		}
		return line
	case *Desync:
		line := fmt.Sprintf("desync at turn %d (%s), ends %v", e.Turn, e.GameTime, e.Ends)
		for _, gr := range e.Groups {
			line += fmt.Sprintf("; %x %s goes on %v", uint32(gr.Hash), pidList(gr.PIDs), gr.GoesOn)
		}
		return line
	case *Over:
		return fmt.Sprintf("over: %s, %d turns, %s", e.How, e.Turns, e.GameTime)
	}
	return fmt.Sprintf("%T", e)
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
