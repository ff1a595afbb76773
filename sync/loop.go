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
	lagging // the lag screen is shown
	over
)

// Loop runs one game from the start of loading to its end. It is not safe for concurrent use.
type Loop struct {
	cfg   Config
	phase phase
	clock
	roster
	pace       pace
	adaptive   adaptive
	screen     screen
	lateness   lateness
	hashes     hashes
	loadBuffer loadBuffer
	sink       Sink
	out        outbox

	sent          uint32        // number of turns sent, not counting empty 0x0C packets with increment 0
	gameTime      time.Duration // sum of increments
	pending       []byte        // encoded actions for the next turns, in order of arrival
	early         []early       // delayed actions, in sending order
	pendingLeaves []leave       // leave packets (0x07) that cannot be sent yet
	loadedAt      time.Duration // when the last player finished loading
	lastAt        time.Duration // when the game ends because too few players are left; 0 if there are enough
}

// New returns a Loop. Time 0 is the moment at which the lobby sends 0x0A (countdown start) if cfg.Countdown is
// set, and 0x0B (countdown end) otherwise. The lobby must already have sent 0x08 (player loaded) for the fake players.
func New(cfg Config, sink Sink) *Loop {
	cfg.Period = clampPeriod(cfg.Period)
	if cfg.Adaptive.On {
		cfg.Period = min(max(cfg.Period, cfg.Adaptive.Min), cfg.Adaptive.Max)
	}
	l := &Loop{cfg: cfg, sink: sink, phase: loading, hashes: hashes{ring: newTurnRing()}}
	l.pace = pace{period: cfg.Period, next: cfg.Period, nextLimit: cfg.SyncLimit}
	l.scaleLimit()
	l.roster = newRoster(cfg.Players)
	if cfg.Countdown > 0 {
		l.phase = counting
	}
	if l.cfg.LoadInGame {
		for pid := range l.live.All() {
			l.loadBuffer.bytes = (&w3gs.GameLoaded{PID: pid}).AppendTo(l.loadBuffer.bytes)
		}
	}
	return l
}

// Tick performs all work that is due at time now. It may be called early or late without losing a turn.
func (l *Loop) Tick(now time.Duration) {
	if !l.enter(now) {
		return
	}
	for l.phase == running && l.pace.due <= l.t {
		l.boundary()
		l.skipSuspension() // the period may have changed
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
	case lagging:
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
	if l.phase == lagging && l.screen.laggers&l.absent != 0 && l.t >= l.screen.remindAt {
		l.remind()
	}
	if l.phase != over && l.lastAt > 0 && l.t >= l.lastAt {
		why := texts.Of("the game ends: everybody else has left")
		if n := l.live.Len(); n > 1 {
			why = texts.Of("the game ends: only %d players are left", n)
		}
		l.sink.Say(l.live, why)
		l.finish(EndLastPlayer)
	}
}

// Next returns the time at which Tick must be called, unless another method is called before. It returns false
// if the game is over.
func (l *Loop) Next() (time.Duration, bool) {
	at, ok := l.next()
	return at + l.suspended, ok
}

// Live returns the human players who are still in the game.
func (l *Loop) Live() w3gs.PIDs { return l.live }

// Laggers returns the players shown on the lag screen. With Config.LoadInGame these include the players who are
// still loading.
func (l *Loop) Laggers() w3gs.PIDs {
	if l.phase == loading && l.cfg.LoadInGame {
		return l.live &^ l.loaded
	}
	return l.screen.laggers
}

// Absent returns the players who have lost the connection and may reconnect.
func (l *Loop) Absent() w3gs.PIDs { return l.absent & l.live }

// Progress returns whether a player has loaded and how many turns the player has not acknowledged. Players
// who are not in the game count as loaded and up to date.
func (l *Loop) Progress(pid uint8) (loaded bool, behind int) {
	p := l.player(pid)
	if p == nil {
		return true, 0
	}
	return l.loaded.Has(pid), l.behind(p)
}

// Period returns the time between turns.
func (l *Loop) Period() time.Duration { return l.pace.period }

// Attends reports whether packets of players must be processed at once instead of at the next turn. This is the
// case while loading and while the lag screen is shown.
func (l *Loop) Attends() bool { return l.Loading() || l.phase == lagging }

// Loading reports whether players are still loading.
func (l *Loop) Loading() bool { return l.phase <= loading }

// Turns returns the number of turns sent.
func (l *Loop) Turns() uint32 { return l.sent }

// GameTime returns the elapsed game time, which is the sum of the increments of all turns.
func (l *Loop) GameTime() time.Duration { return l.gameTime }

// next returns the earliest deadline on the game's clock, which stands still during suspensions. It returns false
// if there is none.
func (l *Loop) next() (at time.Duration, ok bool) {
	at = math.MaxInt64
	least := func(t time.Duration) { at, ok = min(at, t), true }
	switch l.phase {
	case counting:
		least(l.cfg.Countdown)
	case loading:
		if l.startHumans == 0 {
			least(0)
		}
		if by, ok := l.loadBy(); ok {
			least(by)
		}
	case running:
		least(l.pace.due)
	case lagging:
		for pid := range l.screen.laggers.All() {
			if l.hasDropTime(pid) {
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

// ready returns the human players in the game who have finished loading. Only their clients can process turns and
// lag-screen packets.
func (l *Loop) ready() w3gs.PIDs { return l.live & l.loaded }

// inside returns the players whose clients show the game and not the lobby or a loading screen.
func (l *Loop) inside() w3gs.PIDs {
	if l.phase == counting || l.phase == loading && !l.cfg.LoadInGame {
		return 0
	}
	return l.ready()
}

// behind returns the number of turns that a player has not acknowledged.
func (l *Loop) behind(p *player) int { return int(l.sent - p.acked) }

// send encodes a packet once and sends it to all players in the set to.
func (l *Loop) send(to w3gs.PIDs, p w3gs.Packet) {
	from := len(l.out.frames)
	l.out.frames = p.AppendTo(l.out.frames)
	l.broadcast(to, from)
}
