package gamesync

import (
	"bytes"
	"container/heap"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"time"

	"w3host/w3gs"
)

// sim is a whole game in virtual time: the game, its clients and the network
// between them, driven by one seed. What goes wrong is a panic with a
// simFailure.
type sim struct {
	rng    *rand.Rand
	trace  func(format string, args ...any)
	now    time.Duration
	queue  simQueue
	count  uint64
	g      *Game
	cfg    Config
	humans w3gs.PIDs

	clients   []*simClient
	byPID     [w3gs.MaxPID + 1]*simClient
	endAt     time.Duration
	endByHost bool
	tickAt    time.Duration // the tick that is armed; -1: none
	jitter    time.Duration // the host's timer is late by up to this
	sleptAt   time.Duration // the last time the host slept

	// What the effects have said, to compare with what clients see.
	turns    []simTurn
	left     []PlayerLeft
	order    []simItem
	isOver   bool
	over     Over
	live     w3gs.PIDs // whose PlayerLeft has not come
	present  w3gs.PIDs // of those, who has neither left nor been dropped
	expect   []byte
	acked    [w3gs.MaxPID + 1]int
	limit    int // in force
	votes    w3gs.PIDs
	gameTime time.Duration
	lastDue  time.Duration
	stood    bool
	lastMove time.Duration // the last turn, start or load
	changed  time.Duration // of the adaptive period
	started  bool
	loaded   w3gs.PIDs
	desyncs  int

	wantLimit   int
	mischief    w3gs.PIDs // who breaks the protocol
	settled     uint32    // turns compared before this call
	turnsAtDrop [w3gs.MaxPID + 1]int
	onScreen    w3gs.PIDs     // the lag screen before this call
	burst       int           // turns in this call
	resumed     time.Duration // the lag screen went down
	lastTick    time.Duration
	ticks       int            // at lastTick
	seen        map[string]int // what has happened, for TestSimulation to sum up
}

type simTurn struct {
	increment uint16
	sum       uint32
}

type simItem struct {
	kind  byte
	value uint32
	sum   uint32
}

type simFailure string

type simKind uint8

const (
	simLoaded simKind = iota
	simAction
	simAck
	simVote
	simLeave
)

// simPacket is what a client can send.
type simPacket struct {
	kind   simKind
	data   []byte
	hash   uint32
	reason w3gs.LeaveReason
}

func (s *sim) at(t time.Duration, do func()) {
	s.count++
	heap.Push(&s.queue, simEvent{max(t, s.now), s.count, do})
}

func (s *sim) fail(format string, args ...any) {
	panic(simFailure(fmt.Sprintf("at %v: ", s.now) + fmt.Sprintf(format, args...)))
}

// upTo is a random time below d.
func (s *sim) upTo(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(s.rng.Int64N(int64(d)))
}

func (s *sim) between(a, b time.Duration) time.Duration { return a + s.upTo(b-a) }

// run plays the seed's game to its end.
func (s *sim) run() {
	s.rearm()
	for len(s.queue) > 0 && !s.isOver {
		e := heap.Pop(&s.queue).(simEvent)
		s.now = e.at
		if s.now > s.endAt+10*time.Minute {
			s.fail("the game does not end: live %b, behind %v", s.g.live, s.acked)
		}
		e.do()
	}
	if !s.isOver {
		s.fail("everybody waits forever: live %b, phase %d", s.g.live, s.g.phase)
	}
	// What was sent before the end still arrives.
	for len(s.queue) > 0 {
		e := heap.Pop(&s.queue).(simEvent)
		s.now = e.at
		e.do()
	}
	s.checkEnd()
}

// rearm sets the host's timer to what the game asks for. It fires late, and
// sometimes the host sleeps.
func (s *sim) rearm() {
	at, ok := s.g.Next()
	if !ok {
		if !s.isOver && s.g.phase != loading {
			s.fail("no deadline in phase %d", s.g.phase)
		}
		s.tickAt = -1
		return
	}
	if at == s.tickAt {
		return
	}
	if at+s.jitter < s.now && s.now > s.sleptAt+s.jitter && s.humans != 0 {
		s.fail("Next says %v, which has passed", at)
	}
	s.tickAt = at
	s.at(max(at, s.sleptAt)+s.upTo(s.jitter), func() {
		if s.tickAt == at && !s.isOver {
			s.tickAt = -1
			if s.lastTick != s.now {
				s.lastTick, s.ticks = s.now, 0
			}
			if s.ticks++; s.ticks > 100 {
				s.fail("Tick does not do what is due")
			}
			s.host(func(out []Effect) []Effect { return s.g.Tick(s.now, out) })
		}
	})
}

// host makes one call into the game and carries out what it says.
func (s *sim) host(call func(out []Effect) []Effect) {
	if s.isOver {
		return
	}
	if s.now < s.sleptAt { // nothing is read while the host sleeps
		s.at(s.sleptAt, func() { s.host(call) })
		return
	}
	s.settled, s.burst, s.onScreen = s.g.compared, 0, w3gs.PIDs(0)
	if s.g.phase == standing {
		s.onScreen = s.g.Laggers()
	}
	for _, e := range call(nil) {
		if s.isOver {
			s.fail("%T after the end", e)
		}
		s.effect(e)
	}
	s.checkState()
	if !s.isOver {
		s.rearm()
	}
}

// fromClient is the arrival of a packet at the host.
func (s *sim) fromClient(c *simClient, p simPacket) {
	if s.now < s.sleptAt {
		s.at(s.sleptAt, func() { s.fromClient(c, p) })
		return
	}
	s.trace("%v pid %d says %d %d", s.now, c.pid, p.kind, len(p.data))
	alive := s.present.Has(c.pid)
	if p.kind == simLeave {
		s.present &^= w3gs.Only(c.pid)
	}
	s.host(func(out []Effect) []Effect {
		switch p.kind {
		case simLoaded:
			return s.g.Handle(s.now, Loaded{c.pid}, out)
		case simAction:
			if alive && len(p.data) <= w3gs.MaxActionLen && s.loaded.Has(c.pid) && (s.started || s.cfg.LoadInGame) {
				s.expect = w3gs.AppendAction(s.expect, c.pid, p.data)
			}
			return s.g.Action(s.now, c.pid, p.data, out)
		case simAck:
			if s.acked[c.pid]++; alive && s.acked[c.pid] > len(s.turns) {
				s.acked[c.pid]--
			}
			return s.g.Keepalive(s.now, c.pid, p.hash, out)
		case simVote:
			if alive && !s.onScreen.Has(c.pid) { // a vote on the screen before may come late
				s.votes |= w3gs.Only(c.pid)
			}
			return s.g.Handle(s.now, DropVote{c.pid}, out)
		default:
			return s.g.Handle(s.now, Leave{c.pid, p.reason}, out)
		}
	})
	if p.kind == simLeave && s.g.Live().Has(c.pid) {
		s.fail("pid %d left and is still there", c.pid)
	}
	if p.kind == simLeave {
		c.closed = true
	}
}

// effect carries one effect out and notes what it says.
func (s *sim) effect(e Effect) {
	s.trace("%v   %T %+v", s.now, e, e)
	s.note(e)
	switch e := e.(type) {
	case *Broadcast:
		frame := bytes.Clone(e.Frame)
		for pid := range e.To.All() {
			s.toClient(pid, frame)
		}
	case *Drop:
		s.checkDrop(e)
		s.present &^= w3gs.Only(e.PID)
		c := s.byPID[e.PID]
		c.closed, s.turnsAtDrop[e.PID] = true, len(s.turns)
		s.at(c.down.arrival(s), func() { c.gone = true })
	case *Turn:
		s.checkTurn(e)
		s.turns = append(s.turns, simTurn{e.Increment, crc32.ChecksumIEEE(e.Actions)})
		s.gameTime += time.Duration(e.Increment) * time.Millisecond
		s.expect = s.expect[:0]
		s.lastMove = s.now
		if s.burst++; s.burst > 2*(s.cfg.CatchUp+1) {
			s.fail("%d turns at once", s.burst)
		}
	case *PlayerLeft:
		if !s.live.Has(e.PID) {
			s.fail("pid %d left twice", e.PID)
		}
		s.live &^= w3gs.Only(e.PID)
		s.left = append(s.left, *e)
	case *PlayerLoaded:
		s.loaded |= w3gs.Only(e.PID)
	case *Started:
		s.started, s.lastMove, s.lastDue = true, s.now, s.now
		s.limit = s.wantLimit
	case *PeriodChanged:
		s.checkPeriod(e)
	case *ScreenUp:
		s.checkScreen(e)
	case *Desync:
		s.checkDesync(e)
	case *Lag:
		if len(e.Line.String()) > w3gs.MaxGameChatLen {
			s.fail("line too long: %q", e.Line)
		}
		if len(e.Players) > 0 {
			s.resumed = s.now
		}
	case *Over:
		s.isOver, s.over = true, *e
	}
}
