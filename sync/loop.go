package gamesync

import (
	"math"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

type phase uint8

const (
	counting phase = iota // between 0x0A and 0x0B
	loading
	running
	standing // the lag screen is up
	over
)

// Loop runs one game from the start of loading to its end. Its methods must be called by
// one goroutine.
type Loop struct {
	cfg   Config
	phase phase
	clock
	roster
	pace     pace
	adaptive adaptive
	screen   screen
	lateness lateness
	hashes   hashes
	tape     tape
	sink     Sink
	out      outbox

	sent     uint32        // turns; empty 0x0C with increment 0 do not count
	gameTime time.Duration // sum of increments
	pending  []byte        // actions that wait for a turn, in order of arrival
	early    []early       // actions that are held back, in the order in which they go out
	held     []leave       // 0x07 that cannot go out yet
	loadedAt time.Duration // when somebody has loaded last
	lastAt   time.Duration // the last player is alone until then; 0: there are more
}

// New begins a game at time 0, the moment 0x0B was sent. The lobby has sent
// 0x08 for the fake players.
func New(cfg Config, sink Sink) *Loop {
	cfg.Period = clampPeriod(cfg.Period)
	if cfg.Adaptive.On {
		cfg.Period = min(max(cfg.Period, cfg.Adaptive.Min), cfg.Adaptive.Max)
	}
	l := &Loop{cfg: cfg, sink: sink, phase: loading, hashes: hashes{history: newHistory()}}
	l.pace = pace{period: cfg.Period, next: cfg.Period, nextLimit: cfg.SyncLimit}
	l.scaleLimit()
	l.roster = newRoster(cfg.Players)
	if cfg.Countdown > 0 {
		l.phase = counting
	}
	if l.cfg.LoadInGame {
		for pid := range l.live.All() {
			l.tape.bytes = (&w3gs.GameLoaded{PID: pid}).AppendTo(l.tape.bytes)
		}
	}
	return l
}

// Tick does the work that is due. Calling it early or late is safe: it loses no turn.
func (l *Loop) Tick(now time.Duration) {
	if !l.enter(now) {
		return
	}
	for l.phase == running && l.pace.due <= l.t {
		l.boundary()
		l.skipSuspension() // the period may be another now
	}
	switch l.phase {
	case counting:
		if l.t >= l.cfg.Countdown {
			l.enterGame()
		}
	case loading:
		if by, ok := l.loadBy(); ok && l.t >= by {
			l.dropAll(l.live&^l.loaded, WhyLoadTimeout)
		}
	case standing:
		l.dropAll(l.expired(), WhyLagged)
	}
	if l.settle(); l.screenIsUp() && l.t >= l.screen.renewAt {
		l.renewScreen()
	}
	for pid := range (l.unannounced & l.absent & l.live).All() {
		if p := l.byPID[pid]; l.phase != over && l.t >= p.lag.announceAt {
			l.announceAbsent(p)
		}
	}
	if l.phase == standing && l.screen.laggers&l.absent != 0 && l.t >= l.screen.remindAt {
		l.remind()
	}
	if l.phase != over && l.lastAt > 0 && l.t >= l.lastAt {
		why := texts.Of("the game ends: everybody else has left")
		if n := l.live.Len(); n > 1 {
			why = texts.Of("the game ends: only %d players are left", n)
		}
		l.sink.Say(l.live, why)
		l.finish(HowLastPlayer)
	}
}

// Next returns when Tick must be called if no event comes before; false: never.
func (l *Loop) Next() (time.Duration, bool) {
	at, ok := l.next()
	return at + l.suspended, ok
}

// Live returns the humans who are still in the game.
func (l *Loop) Live() w3gs.PIDs { return l.live }

// Laggers returns the players on the lag screen, those who load in game included.
func (l *Loop) Laggers() w3gs.PIDs {
	if l.phase == loading && l.cfg.LoadInGame {
		return l.live &^ l.loaded
	}
	return l.screen.laggers
}

// Absent returns the players whose connections are lost and may come back.
func (l *Loop) Absent() w3gs.PIDs { return l.absent & l.live }

// Progress returns whether a player has loaded, and how many turns they have not
// acknowledged. Players who are not in the game have loaded and acknowledged all.
func (l *Loop) Progress(pid uint8) (loaded bool, behind int) {
	p := l.player(pid)
	if p == nil {
		return true, 0
	}
	return l.loaded.Has(pid), l.behind(p)
}

// Period returns the time between turns.
func (l *Loop) Period() time.Duration { return l.pace.period }

// Attends reports whether the next packets of players matter before the next turn: the game
// loads, or the lag screen is up.
func (l *Loop) Attends() bool { return l.Loading() || l.phase == standing }

// Loading reports whether players still load.
func (l *Loop) Loading() bool { return l.phase <= loading }

// Turns returns the number of turns sent.
func (l *Loop) Turns() uint32 { return l.sent }

// GameTime returns the sum of all increments.
func (l *Loop) GameTime() time.Duration { return l.gameTime }

// next returns the nearest deadline, in the time that rules go by.
func (l *Loop) next() (at time.Duration, ok bool) {
	at = math.MaxInt64
	least := func(t time.Duration) { at, ok = min(at, t), true }
	switch l.phase {
	case counting:
		least(l.cfg.Countdown)
	case loading:
		if l.began == 0 {
			least(0)
		}
		if by, ok := l.loadBy(); ok {
			least(by)
		}
	case running:
		least(l.pace.due)
	case standing:
		for pid := range l.screen.laggers.All() {
			if l.drops(pid) {
				least(l.byPID[pid].lag.dropAt)
			}
		}
		if l.screen.laggers&l.absent != 0 {
			least(l.screen.remindAt)
		}
	case over:
		return 0, false
	}
	for pid := range (l.unannounced & l.absent & l.live).All() {
		least(l.byPID[pid].lag.announceAt)
	}
	if l.screenIsUp() {
		least(l.screen.renewAt)
	}
	if l.lastAt > 0 {
		least(l.lastAt)
	}
	return at, ok
}

// ready returns the players whose clients can take game data.
func (l *Loop) ready() w3gs.PIDs { return l.live & l.loaded }

// inside returns the players who see the game and not a loading screen.
func (l *Loop) inside() w3gs.PIDs {
	if l.phase == counting || l.phase == loading && !l.cfg.LoadInGame {
		return 0
	}
	return l.ready()
}

func (l *Loop) behind(p *player) int { return int(l.sent - p.acked) }

// send encodes a packet for several players.
func (l *Loop) send(to w3gs.PIDs, p w3gs.Packet) {
	from := len(l.out.frames)
	l.out.frames = p.AppendTo(l.out.frames)
	l.broadcast(to, from)
}
