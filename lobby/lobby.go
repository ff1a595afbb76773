package lobby

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// phase is the progress of a lobby.
type phase uint8

const (
	phaseOpen phase = iota
	phaseCounting
	phaseStarted
	phaseClosed
)

const (
	pidLimit = w3gs.MaxSlots + 1 // one more than the largest pid
	never    = time.Duration(math.MaxInt64)
)

// Lobby is the lobby of one game, including its chat after the start. It is not safe for concurrent use: package game
// calls it from one goroutine. All methods that take now expect the time since the lobby opened.
type Lobby struct {
	cfg         Config
	observer    uint8       // number of the observer team, which is also the observers' colour
	mapSlots    []w3gs.Slot // the slots as the map defines them
	slots       []w3gs.Slot
	players     [pidLimit]*player // indexed by pid
	vhost       uint8             // pid of the virtual host, or 0
	owner       owner
	hiddenNames []hiddenName // names hidden from lines
	guests      guestList
	versions    []playsVersion
	sources     sources
	hcl         string
	private     bool // see SetPrivate
	places      int  // number of slots that were open for players at first
	joins       int  // number of players who ever joined
	random      *rand.Rand
	phase       phase
	muteAll     bool
	teams       TeamRule // only for melee games

	now  time.Duration
	sink Sink
	busy bool // a call is in progress

	activeAt time.Duration // time of the last activity
	warned   time.Duration // the closing time that was announced

	table      table
	pingAt     time.Duration
	left       string // name of the player who left last
	quietUntil time.Duration
	countdown  countdown
	startBy    time.Duration // a manual start waits for pings until then; 0 if none does
	counts     Counts        // as last announced
	auto       autoStart
	final      []Place // the slots as players see them, after the start
}

// owner identifies the owner of a lobby.
type owner struct {
	name     string
	realm    string // empty means the LAN
	informed uint8  // pid of the owner or stand-in who was told so
}

// table is the state of the slot table at the clients.
type table struct {
	sent       []w3gs.Slot
	at         time.Duration // earliest time of the next table that is not urgent
	progressAt time.Duration // the same if only download percentages changed
}

// countdown is a running countdown.
type countdown struct {
	forced   bool // skip the checks
	byItself bool // started automatically with enough players
	left     int  // lines still to be sent
	at       time.Duration
	endedAt  time.Duration // when the last countdown was stopped
}

// New opens a lobby with the map's slots. It frees slots that the map gives to players, and assigns new colours if two
// slots have the same one.
func New(cfg Config, sink Sink) *Lobby {
	l := &Lobby{
		sink:     sink,
		cfg:      cfg,
		observer: w3gs.ObserverTeam,
		slots:    slices.Clone(cfg.Slots),
		owner:    owner{name: cfg.Owner.Name, realm: cfg.Owner.Realm},
		guests:   guestList{held: parseHolders(cfg.Admission.Reserved)},
		hcl:      cfg.HCL,
		random:   rand.New(rand.NewPCG(uint64(cfg.RandomSeed), uint64(cfg.RandomSeed))),
	}
	if cfg.Wire.MaxPID > w3gs.ClassicSlots {
		l.observer = w3gs.ObserverTeam24
	}
	starts := uint8(0)
	for i := range l.slots {
		s := &l.slots[i]
		s.PID = 0
		if s.Status == w3gs.SlotOccupied && !s.Computer {
			s.Status = w3gs.SlotOpen
		}
		if cfg.Restored {
			continue
		}
		if s.Team == l.observer {
			s.Colour = l.observer
			continue
		}
		starts++
		if holder := l.colourHolder(i, s.Colour); s.Colour >= cfg.Wire.MaxPID || holder >= 0 && holder < i {
			s.Colour = l.unusedColour()
		}
	}
	if cfg.PlayerSlots == 0 {
		l.cfg.PlayerSlots = starts
	}
	places := l.Counts().Open // fewer than configured if the map has fewer slots
	l.places = places
	l.cfg.Start.MinPlayers = min(cfg.Start.MinPlayers, places)
	l.auto = newAutoStart(AutoStart{
		Players: min(cfg.Start.Humans, places), Full: cfg.Start.Full, Ready: cfg.Start.Ready, Balanced: cfg.Start.Balanced,
	}, cfg.Start.After)
	for i := range l.guests.held {
		l.guests.held[i].spared = true
	}
	l.mapSlots, l.table.sent = slices.Clone(l.slots), slices.Clone(l.slots)
	l.returnVirtualHost()
	if len(cfg.Places) == len(l.slots) {
		l.restore()
		copy(l.table.sent, l.slots)
	}
	l.counts = l.Counts()
	return l
}

// SetPrivate sets whether the game is private: it is not listed, and viewers are not admitted.
func (l *Lobby) SetPrivate(on bool) { l.private = on }

// ShutsOut reports whether strangers cannot join the lobby unless a player in it allows that: it is locked or private, or its last
// open slots were closed or filled with computers or fake players, and it is not about to start.
func (l *Lobby) ShutsOut() bool {
	c := l.Counts()
	return l.phase == phaseOpen && (l.private || l.guests.locked || c.Open == 0 && c.Humans < l.places && !l.enough())
}

// Do carries out an operation, or returns a *texts.Refusal that says why it cannot be done.
func (l *Lobby) Do(now time.Duration, op Operation) error {
	l.begin(now)
	l.activeAt = now
	no := l.try(op)
	l.finish()
	if no == nil {
		return nil
	}
	return no
}

// BalanceResult sets whether the present teams are too uneven for an automatic start: why is the reason, or empty if they are
// even. The caller has balanced the teams before.
func (l *Lobby) BalanceResult(now time.Duration, why texts.Text) {
	l.begin(now)
	l.auto.judged, l.auto.uneven = slices.Clone(l.slots), why
	l.finish()
}

// BalanceStale discards the last BalanceResult, because new ratings of players are known.
func (l *Lobby) BalanceStale(now time.Duration) {
	l.begin(now)
	l.auto.judged = nil
	l.finish()
}

// Tick does the work that is due at time now.
func (l *Lobby) Tick(now time.Duration) {
	l.begin(now)
	l.ping()
	if l.phase == phaseStarted { // nothing else happens in a game
		l.busy = false
		return
	}
	l.introduceOverdue(l.now)
	l.removeSilent()
	l.countDown()
	l.closeIdle()
	l.finish()
}

// Next returns when Tick must be called next. ok is false if only an event can cause work, as in an empty lobby.
func (l *Lobby) Next() (at time.Duration, ok bool) {
	_, at, _ = l.closing()
	if l.phase != phaseClosed && l.Humans() != 0 {
		if l.cfg.Pace.PingEvery > 0 {
			at = min(at, l.pingAt)
			for pid := range l.unprobed(never).All() {
				at = min(at, l.players[pid].probeAt)
			}
		}
		if l.phase == phaseCounting {
			at = min(at, l.countdown.at)
		}
		for _, p := range l.notIntroduced() {
			at = min(at, l.introduceBy(p))
		}
		if l.cfg.Admission.MapSilence > 0 {
			for _, p := range l.seated(false) {
				at = min(at, l.silentUntil(p))
			}
		}
		if l.auto.due > l.now {
			at = min(at, l.auto.due)
		}
		if l.startBy > 0 {
			at = min(at, l.startBy)
			if l.quietUntil > l.now {
				at = min(at, l.quietUntil)
			}
		}
		table, _ := l.tableDue()
		at = min(at, table)
	}
	if at == never {
		return 0, false
	}
	return at, true
}

// begin begins a call. It panics if the Sink calls the lobby during a call, because it would see and change a table that
// is half changed.
func (l *Lobby) begin(now time.Duration) {
	if l.busy {
		panic("a sink has called the lobby")
	}
	l.busy, l.now = true, now
}

// finish ends a call: it sends pending changes to clients and reports new counts.
func (l *Lobby) finish() {
	l.sendTable()
	l.settleOwner()
	l.awaitStart()
	l.autoStart()
	if counts := l.Counts(); l.phase < phaseStarted && counts != l.counts {
		l.counts = counts
		l.sink.Fact(&CountsChanged{counts})
	}
	l.busy = false
}

// tableDue returns when clients get the next 0x09: TableEvery after the last one, or ProgressEvery if only download
// percentages changed.
func (l *Lobby) tableDue() (at time.Duration, progress bool) {
	same := func(a, b w3gs.Slot) bool {
		a.Download = b.Download
		return a == b
	}
	switch {
	case l.phase >= phaseStarted || slices.Equal(l.slots, l.table.sent):
		return never, false
	case slices.EqualFunc(l.slots, l.table.sent, same):
		return max(l.table.at, l.table.progressAt), true
	}
	return l.table.at, false
}

func (l *Lobby) sendTable() {
	at, progress := l.tableDue()
	if l.now < at {
		return
	}
	if progress {
		l.table.progressAt = l.now + l.cfg.Pace.ProgressEvery
	}
	l.flushTable(l.introduced())
}

func (l *Lobby) flushTable(to w3gs.PIDs) {
	copy(l.table.sent, l.slots)
	l.table.at = l.now + l.cfg.Pace.TableEvery
	l.broadcast(to, &w3gs.SlotInfo{SlotTable: l.SlotTable()})
}

func (l *Lobby) send(pid uint8, p w3gs.Packet) { l.sink.Send(w3gs.Only(pid), p) }

func (l *Lobby) broadcast(to w3gs.PIDs, p w3gs.Packet) {
	if to != 0 {
		l.sink.Send(to, p)
	}
}
