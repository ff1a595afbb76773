package gamesync

import (
	"math"
	"time"

	"w3host/texts"
	"w3host/w3gs"
)

// suspendGrace is how long after a suspension of the host nobody is dropped: what
// clients sent meanwhile must be read first.
const suspendGrace = time.Second

type phase uint8

const (
	loading phase = iota
	running
	standing // the lag screen is up
	over
)

// player is what a game knows of one human or fake player.
type player struct {
	Player
	acked  uint32 // turns answered with 0x27
	queued int    // bytes of actions that wait for a turn
	budget int    // bytes of actions that may go into the next turn

	lagSince time.Duration // on the lag screen since
	dropAt   time.Duration // on the lag screen until
	wait     time.Duration // how long the lag screen waits while the connection is lost
	missed   bool          // the connection was lost since the lag screen came up
	lagFrom  time.Duration // when the oldest unanswered turn was sent
	lag      Lagger        // as the lag screen came up

	pinged                bool // the round trip is known
	rtt, rttAt, smoothRTT time.Duration
	backlog               int

	moves     uint64 // as last reported
	moved     bool   // the socket took something since the last turn
	movedTurn uint32 // the last turn that may have left when that was last so
}

// Game is one game. Its methods must be called by one goroutine.
type Game struct {
	cfg   Config
	align bool // turns fall on beat modulo the period
	beat  time.Duration
	byPID [w3gs.MaxPID + 1]*player
	began int // humans at the start

	phase         phase
	now           time.Duration // of the last call
	suspended     time.Duration // real time that the host was suspended
	suspendedTurn time.Duration // the part of it since the last turn
	t             time.Duration // now - suspended: the time that all rules go by
	live          w3gs.PIDs     // humans still in the game
	fakes         w3gs.PIDs     // in byPID too: the host acts for them
	loaded        w3gs.PIDs
	laggers       w3gs.PIDs // on the lag screen
	late          w3gs.PIDs // observers for whose hashes no turn waits
	voted         w3gs.PIDs
	absent        w3gs.PIDs // whose connections are lost and may come back
	proxied       w3gs.PIDs
	fed           w3gs.PIDs // have been sent a 0x0C

	period     time.Duration // in force
	nextPeriod time.Duration // from the next turn boundary on
	byRTT      bool          // nextPeriod was chosen by adapt
	syncLimit  int           // in force
	nextLimit  int
	due        time.Duration // of the next turn
	resetAt    time.Duration // of the lag screen
	remindAt   time.Duration // of those who are waited for
	lastAt     time.Duration // end of the last player's wait; zero: not waiting

	sent     uint32        // turns; empty 0x0C with increment 0 do not count
	compared uint32        // turns whose hashes are settled
	gameTime time.Duration // sum of increments
	history  history
	pending  []byte       // actions that wait for a turn, in order of arrival
	held     []PlayerLeft // 0x07 that cannot go out yet
	tape     []byte       // load in game: what a player gets after loading
	tapeFed  bool         // there is a 0x0C on it
	plain    []byte       // the same for those without a proxy, if it differs

	stoodFrom time.Duration
	stood     []Lagger // who are off this lag screen again

	lateNow, lateBefore, lateSince, lateSayAt time.Duration

	measured   bool // a round trip came in since the last look
	adaptedAt  time.Duration
	adaptedBy  time.Duration // the last change; negative: down
	out        []Effect      // of this call
	broadcasts []Broadcast   // the effects in out, and below: reused when out is empty again
	turns      []Turn
	agreed     []Settled
	frames     []byte
}

// New begins a game at time 0, the moment 0x0B was sent. The lobby has sent
// 0x08 for the fake players.
func New(cfg Config) *Game {
	cfg.Period = clampPeriod(cfg.Period)
	if cfg.Adaptive.On {
		cfg.Period = min(max(cfg.Period, cfg.Adaptive.Min), cfg.Adaptive.Max)
	}
	g := &Game{
		cfg: cfg, history: newHistory(),
		period: cfg.Period, nextPeriod: cfg.Period,
		syncLimit: cfg.SyncLimit, nextLimit: cfg.SyncLimit,
	}
	players := make([]player, len(cfg.Players))
	for i, p := range cfg.Players {
		players[i].Player, players[i].budget = p, cfg.ActionBurst
		g.byPID[p.PID] = &players[i]
		if p.Fake {
			g.fakes |= w3gs.Only(p.PID)
			continue
		}
		g.live |= w3gs.Only(p.PID)
		if p.Proxied {
			g.proxied |= w3gs.Only(p.PID)
		}
	}
	g.began = g.live.Len()
	if g.cfg.LoadInGame {
		for pid := range g.live.All() {
			g.tape = (&w3gs.GameLoaded{PID: pid}).AppendTo(g.tape)
		}
	}
	return g
}

// Tick does what is due. Calling it early or late is safe: it loses no turn.
func (g *Game) Tick(now time.Duration, out []Effect) []Effect {
	g.enter(now, out)
	for g.phase == running && g.due <= g.t {
		g.boundary()
		g.skipSuspension() // the period may be another now
	}
	switch g.phase {
	case loading:
		if g.cfg.LoadTimeout > 0 && g.t >= g.cfg.LoadTimeout {
			g.dropAll(g.live&^g.loaded, WhyLoadTimeout)
		}
	case standing:
		g.dropAll(g.expired(), WhyLagged)
	}
	if g.settle(); g.screenIsUp() && g.t >= g.resetAt {
		g.renewScreen()
	}
	if g.phase == standing && g.laggers&g.absent != 0 && g.t >= g.remindAt {
		g.remind()
	}
	if g.phase != over && g.lastAt > 0 && g.t >= g.lastAt {
		g.emit(&Say{To: g.live, Text: texts.Of("the game ends: everybody else has left")})
		g.finish(HowLastPlayer)
	}
	return g.out
}

// Next is when Tick must be called if no event comes before; false: never.
func (g *Game) Next() (time.Duration, bool) {
	at, ok := g.next()
	return at + g.suspended, ok
}

// Live is the set of humans who are still in the game.
func (g *Game) Live() w3gs.PIDs { return g.live }

// Laggers is the set of players on the lag screen, those who load in game included.
func (g *Game) Laggers() w3gs.PIDs {
	if g.phase == loading && g.cfg.LoadInGame {
		return g.live &^ g.loaded
	}
	return g.laggers
}

// Loading reports whether players still load.
func (g *Game) Loading() bool { return g.phase == loading }

// Turns is the number of turns sent.
func (g *Game) Turns() uint32 { return g.sent }

// GameTime is the time in the game: the sum of all increments.
func (g *Game) GameTime() time.Duration { return g.gameTime }

// enter begins a call and detects that the host was suspended. That time counts in no
// rule, except for the renewal of the lag screen, for which clients did wait.
func (g *Game) enter(now time.Duration, out []Effect) {
	if g.out = out; len(out) == 0 {
		g.broadcasts, g.turns, g.agreed, g.frames = g.broadcasts[:0], g.turns[:0], g.agreed[:0], g.frames[:0]
	}
	g.now = max(now, g.now)
	before := g.t
	g.t = g.now - g.suspended
	at, ok := g.next()
	if !ok {
		return
	}
	if g.phase == running {
		g.skipSuspension()
	} else if g.t-at > suspendGrace {
		g.suspend(g.t - max(at-suspendGrace, before))
	}
}

// skipSuspension leaves one turn due if there are more than CatchUp.
func (g *Game) skipSuspension() {
	if g.t-g.due > time.Duration(g.cfg.CatchUp)*g.period {
		g.suspend((g.t - g.due) / g.period * g.period)
	}
}

func (g *Game) suspend(d time.Duration) {
	g.suspended += d
	g.suspendedTurn += d
	g.t -= d
	g.resetAt -= d
	g.lateNow = max(g.lateNow, d)
}

// next is the nearest deadline, in the time that rules go by.
func (g *Game) next() (at time.Duration, ok bool) {
	at = math.MaxInt64
	least := func(t time.Duration) { at, ok = min(at, t), true }
	switch g.phase {
	case loading:
		if g.began == 0 {
			least(0)
		}
		if g.cfg.LoadTimeout > 0 {
			least(g.cfg.LoadTimeout)
		}
	case running:
		least(g.due)
	case standing:
		for pid := range g.laggers.All() {
			if g.drops(pid) {
				least(g.byPID[pid].dropAt)
			}
		}
		if g.laggers&g.absent != 0 {
			least(g.remindAt)
		}
	case over:
		return 0, false
	}
	if g.screenIsUp() {
		least(g.resetAt)
	}
	if g.lastAt > 0 {
		least(g.lastAt)
	}
	return at, ok
}

// player finds a human who is still in the game.
func (g *Game) player(pid uint8) *player {
	if !g.live.Has(pid) {
		return nil
	}
	return g.byPID[pid]
}

// ready is the players who can take game data.
func (g *Game) ready() w3gs.PIDs { return g.live & g.loaded }

// inside is the players who see the game, not a loading screen.
func (g *Game) inside() w3gs.PIDs {
	if g.phase == loading && !g.cfg.LoadInGame {
		return 0
	}
	return g.ready()
}

func (g *Game) behind(p *player) int { return int(g.sent - p.acked) }

func (g *Game) emit(effects ...Effect) { g.out = append(g.out, effects...) }

// broadcast makes the effect for the frames from the given place on.
func (g *Game) broadcast(to w3gs.PIDs, from int) {
	if to != 0 {
		g.broadcasts = append(g.broadcasts, Broadcast{To: to, Frame: g.frames[from:len(g.frames):len(g.frames)]})
		g.emit(&g.broadcasts[len(g.broadcasts)-1])
	}
}

func (g *Game) tell(to w3gs.PIDs, p w3gs.Packet) {
	from := len(g.frames)
	g.frames = p.AppendTo(g.frames)
	g.broadcast(to, from)
}
