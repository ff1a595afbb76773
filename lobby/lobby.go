package lobby

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// phase is how far a lobby has come.
type phase uint8

const (
	phaseOpen phase = iota
	phaseCounting
	phaseStarted
	phaseClosed
)

const (
	pidLimit = w3gs.MaxSlots + 1 // above every pid
	never    = time.Duration(math.MaxInt64)
)

// Lobby is one game's lobby. It belongs to one goroutine.
type Lobby struct {
	cfg      Config
	observer uint8       // the observer team, which is also the observers' colour
	seats    []w3gs.Slot // the slots as the map has them
	slots    []w3gs.Slot
	players  [pidLimit]*player // by pid
	vhost    uint8             // pid of the virtual host, 0 when it is away
	owner    owner
	veils    []veiled // names that others are not to read
	guests   guestList
	versions []playsVersion
	sources  sources
	hcl      string
	private  bool // for its players alone
	places   int  // slots that were open for players at first
	joins    int  // players that ever came
	random   *rand.Rand
	phase    phase
	muteAll  bool
	teams    TeamRule // of a melee game

	now  time.Duration
	sink Sink
	busy bool // a call is under way

	activeAt time.Duration // when somebody did something last
	warned   time.Duration // the time of closing that was announced

	table      table
	pingAt     time.Duration
	left       string // who left last
	quietUntil time.Duration
	countdown  countdown
	startBy    time.Duration // a start by hand waits for pings until then; 0: none waits
	counts     Counts        // as last announced
	auto       autoStart
	final      []Place // the slots as players see them, once the game has started
}

// owner is the account that owns a lobby.
type owner struct {
	name     string
	realm    string // empty: the LAN
	informed uint8  // the owner or stand-in who has read that they are
}

// table is the slot table that clients have.
type table struct {
	sent       []w3gs.Slot
	at         time.Duration // before this no table is sent that can wait
	progressAt time.Duration // the same where only downloads have changed
}

// countdown is a start that runs.
type countdown struct {
	forced   bool // it skips checks
	byItself bool // enough players were in
	left     int  // lines still to be said
	at       time.Duration
	endedAt  time.Duration // when the last one was stopped
}

// New opens a lobby with the slots of the map. It takes players out of them, and gives
// new colours where two slots share one.
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
	places := l.Counts().Open // a map with fewer than are asked for starts with as many
	l.places = places
	l.cfg.Start.MinPlayers = min(cfg.Start.MinPlayers, places)
	l.auto = newAutoStart(AutoStart{
		Players: min(cfg.Start.Humans, places), Full: cfg.Start.Full, Ready: cfg.Start.Ready, Balanced: cfg.Start.Balanced,
	}, cfg.Start.After)
	for i := range l.guests.held {
		l.guests.held[i].spared = true
	}
	l.seats, l.table.sent = slices.Clone(l.slots), slices.Clone(l.slots)
	l.returnVirtualHost()
	if len(cfg.Places) == len(l.slots) {
		l.restore()
		copy(l.table.sent, l.slots)
	}
	l.counts = l.Counts()
	return l
}

// SetPrivate says whether the game is for its players alone.
func (l *Lobby) SetPrivate(on bool) { l.private = on }

// ShutsOut reports whether strangers cannot join the lobby before somebody in it allows that: it is locked or private, or its last
// open slots were closed or filled with others than people, and it does not start now.
func (l *Lobby) ShutsOut() bool {
	c := l.Counts()
	return l.phase == phaseOpen && (l.private || l.guests.locked || c.Open == 0 && c.Humans < l.places && !l.enough())
}

// Do carries out what an owner, an admin or the program asks for, or returns why it cannot be done.
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

// Judge says why the present teams are too uneven for a start by itself;
// empty: they are not.
func (l *Lobby) Judge(now time.Duration, why texts.Text) {
	l.begin(now)
	l.auto.judged, l.auto.uneven = slices.Clone(l.slots), why
	l.finish()
}

// Doubt discards the last Judge, because more has been learned about the players.
func (l *Lobby) Doubt(now time.Duration) {
	l.begin(now)
	l.auto.judged = nil
	l.finish()
}

// Tick does the work that is due by now.
func (l *Lobby) Tick(now time.Duration) {
	l.begin(now)
	l.ping()
	if l.phase == phaseStarted { // nothing else is due in a game
		l.busy = false
		return
	}
	l.meetLate(l.now)
	l.removeSilent()
	l.countDown()
	l.closeIdle()
	l.finish()
}

// Next is when Tick has something to do; not ok when only an event can bring
// work: an empty lobby sleeps.
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
		for _, p := range l.unmet() {
			at = min(at, l.meetBy(p))
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

// begin begins a call. A sink that calls the lobby while it works would see, and change, a table
// that is half changed.
func (l *Lobby) begin(now time.Duration) {
	if l.busy {
		panic("a sink has called the lobby")
	}
	l.busy, l.now = true, now
}

// finish ends a call: it sends the changes to clients and advertisements.
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

// tableDue is when clients get a 0x09: where the table has changed, TableEvery
// after the last one; where only downloads have, also ProgressEvery after the last
// such.
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
	l.flushTable(l.met())
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
