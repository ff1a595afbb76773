package gamesync

import (
	"fmt"
	"math/rand/v2"
	"time"

	"w3host/w3gs"
)

const never = 1 << 62 * time.Nanosecond

// newSim makes up a game: who plays, with what settings and connections, and
// what will go wrong.
func newSim(seed uint64, trace func(string, ...any)) *sim {
	s := &sim{rng: rand.New(rand.NewPCG(seed, 5)), trace: trace, tickAt: -1, sleptAt: -never, seen: map[string]int{}}
	s.config()
	s.g = New(s.cfg)
	s.limit, s.wantLimit = s.cfg.SyncLimit, s.cfg.SyncLimit
	s.endAt = 5*time.Second + time.Duration(60+s.rng.IntN(500))*s.cfg.Period
	s.endByHost = s.chance(4)
	s.jitter = s.upTo(min(4*w3gs.MinPeriod, 2*s.cfg.Period))
	if s.chance(2) {
		s.jitter = 0
	}
	for _, p := range s.cfg.Players {
		if !p.Fake {
			s.client(p)
		}
	}
	s.live, s.present = s.humans, s.humans
	s.trace("config %+v, ends at %v", s.cfg, s.endAt)
	s.desyncSome()
	s.hostEvents()
	s.theEnd()
	return s
}

// chance is true once in n.
func (s *sim) chance(n int) bool { return s.rng.IntN(n) == 0 }

func (s *sim) config() {
	r := s.rng
	cfg := Defaults()
	cfg.Period = time.Duration(20+r.IntN(230)) * time.Millisecond
	cfg.SyncLimit = 3 + r.IntN(40)
	cfg.DropAfter = s.between(2*time.Second, 15*time.Second)
	cfg.LagReset = s.between(time.Second, 10*time.Second)
	cfg.LoadTimeout = s.between(3*time.Second, 10*time.Second)
	cfg.LastPlayer = s.between(time.Second, 20*time.Second)
	cfg.LoadInGame = s.chance(3)
	cfg.ObserversNeverStop = !s.chance(3)
	cfg.Adaptive.On = s.chance(5)
	if cfg.Adaptive.On {
		cfg.Period = max(cfg.Period, 50*time.Millisecond)
	}
	n := 1 + r.IntN(6)
	if s.chance(10) {
		n = 6 + r.IntN(7)
	}
	for i, pid := range r.Perm(w3gs.MaxPID)[:n] {
		cfg.Players = append(cfg.Players, Player{
			PID: uint8(pid + 1), Name: fmt.Sprintf("player%d", pid+1), Team: uint8(i % 2),
			Observer: s.chance(3), Fake: s.chance(10),
		})
	}
	if !s.chance(50) {
		cfg.Players[0].Fake = false
	}
	s.cfg = cfg
}

func (s *sim) client(p Player) {
	r := s.rng
	c := &simClient{
		sim: s, pid: p.PID, observer: p.Observer, limit: s.cfg.LagReset + 5*time.Second,
		cutAt: never, votes: s.chance(3),
	}
	s.clients = append(s.clients, c)
	s.byPID[p.PID] = c
	s.humans |= w3gs.Only(p.PID)
	slow := s.between(time.Millisecond, 150*time.Millisecond)
	c.up = simLink{delay: slow, spread: s.upTo(slow)}
	c.down = simLink{delay: slow, spread: s.upTo(slow)}
	for s.chance(4) {
		from := s.upTo(s.endAt)
		w := window{from, from + s.between(0, 2*s.cfg.DropAfter)}
		if s.chance(2) {
			c.frozen = append(c.frozen, w)
			continue
		}
		c.up.stalls, c.down.stalls = append(c.up.stalls, w), append(c.down.stalls, w)
	}
	if s.chance(8) {
		c.cutAt = s.upTo(s.endAt)
		if noticed := c.cutAt + s.upTo(2*s.cfg.DropAfter); !s.chance(4) {
			s.at(noticed, func() { s.fromClient(c, simPacket{kind: simLeave, reason: w3gs.LeaveDisconnect}) })
		}
	}
	if s.chance(5) {
		s.at(s.upTo(s.endAt), func() { c.quit(w3gs.LeaveLost) })
	}
	if c.loadAt = s.between(0, 3*time.Second); s.chance(15) {
		c.loadAt = s.upTo(3 * s.cfg.LoadTimeout)
	}
	s.at(c.loadAt, func() {
		c.sent23 = true
		c.say(simPacket{kind: simLoaded})
	})
	if s.chance(40) {
		s.misbehave(c)
	}
	s.habits(c, time.Duration(1+r.IntN(20))*100*time.Millisecond)
}

// habits makes the client act, and look at its clock.
func (s *sim) habits(c *simClient, every time.Duration) {
	var act, watch func()
	act = func() {
		if c.act(); !c.gone && !c.closed {
			s.at(s.now+s.upTo(2*every), act)
		}
	}
	watch = func() {
		if c.watch(); !c.gone && !c.closed {
			s.at(s.now+500*time.Millisecond, watch)
		}
	}
	s.at(c.loadAt, act)
	s.at(c.loadAt, watch)
}

func (s *sim) misbehave(c *simClient) {
	s.mischief |= w3gs.Only(c.pid)
	switch s.rng.IntN(3) {
	case 0:
		c.extraAck = 1 + s.rng.IntN(50)
	case 1:
		s.at(s.upTo(s.endAt), func() {
			c.say(simPacket{kind: simAction, data: make([]byte, w3gs.MaxActionLen+1)})
		})
	case 2:
		s.at(s.upTo(c.loadAt), func() { c.say(simPacket{kind: simAction, data: []byte{1}}) })
	}
}

// desyncSome lets clients go their own way from some turn on, alone or
// together.
func (s *sim) desyncSome() {
	for _, c := range s.clients {
		if late := c.frozen != nil || c.up.stalls != nil; late && c.observer && s.chance(2) {
			c.salt, c.saltFrom = 3, 1+s.rng.IntN(250)
		}
	}
	for s.chance(4) {
		from, salt := 1+s.rng.IntN(250), 1+uint32(s.rng.IntN(2))
		for _, c := range s.clients {
			if c.salt == 0 && s.chance(3) {
				c.salt, c.saltFrom = salt, from
			}
		}
	}
}

// hostEvents is what an operator, the ping and the machine do.
func (s *sim) hostEvents() {
	for s.chance(2) {
		period := time.Duration(s.rng.IntN(600)) * time.Millisecond
		s.call(s.upTo(s.endAt), func(out []Effect) []Effect { return s.g.Handle(s.now, SetPeriod{period}, out) })
	}
	for s.chance(4) {
		limit := 1 + s.rng.IntN(60)
		s.call(s.upTo(s.endAt), func(out []Effect) []Effect {
			s.wantLimit = limit
			return s.g.Handle(s.now, SetSyncLimit{limit}, out)
		})
	}
	for s.chance(4) {
		s.call(s.upTo(s.endAt), func(out []Effect) []Effect { return s.g.Handle(s.now, DropLaggers{}, out) })
	}
	for s.chance(8) {
		s.at(s.upTo(s.endAt), func() {
			if s.now < s.sleptAt {
				return
			}
			s.sleptAt = s.now + s.between(time.Second, 20*time.Second)
			s.trace("%v the host sleeps until %v", s.now, s.sleptAt)
		})
	}
	var ping func()
	ping = func() {
		for _, c := range s.clients {
			s.g.Handle(s.now, RTT{c.pid, 2*c.up.delay + s.upTo(c.up.spread)}, nil)
			s.g.Handle(s.now, Backlog{c.pid, s.rng.IntN(8000), s.rng.Uint64()}, nil)
		}
		if !s.isOver && s.now < s.endAt {
			s.at(s.now+5*time.Second, ping)
		}
	}
	if s.cfg.Adaptive.On || s.chance(2) {
		s.at(0, ping)
	}
}

func (s *sim) call(at time.Duration, do func(out []Effect) []Effect) {
	s.at(at, func() { s.host(do) })
}

// theEnd ends the game from outside: the host does, all leave at once, or one
// after the other.
func (s *sim) theEnd() {
	if s.endByHost {
		s.call(s.endAt, func(out []Effect) []Effect { return s.g.Handle(s.now, End{}, out) })
		return
	}
	within := s.upTo(time.Duration(s.rng.IntN(2)) * 5 * time.Second)
	for _, c := range s.clients {
		s.at(s.endAt+s.upTo(within), func() { c.quit(w3gs.LeaveWon) })
	}
}
