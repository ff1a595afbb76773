package lobby

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"w3host/w3gs"
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
	owner    string
	realm    string    // of the owner; empty: the LAN
	told     uint8     // the owner or stand-in who knows about it
	kept     []keptOut // by a kick
	held     []string  // reserved names
	hcl      string
	joins    int // players that ever came
	random   *rand.Rand
	phase    phase
	muteAll  bool

	now time.Duration
	out []Effect

	activeAt time.Duration // when somebody did something last
	warned   time.Duration // the end that the players have been told of

	sent       []w3gs.Slot // the table that clients have
	progressAt time.Duration
	tableAt    time.Duration // before this no table is sent that can wait
	pingAt     time.Duration
	left       string // who left last, and when
	leftAt     time.Duration
	forced     bool // the countdown was
	count      int  // lines of the countdown still to be said
	countAt    time.Duration
	counts     Counts // as last announced
	auto       autoStart
	handicaps  []uint8 // as players see them, once the game has started
}

// New opens a lobby. It takes the map's slots as they are, but for what no
// lobby can begin with: players in them, and colours that two of them share.
func New(cfg Config) *Lobby {
	if cfg.MaxPID == 0 {
		cfg.MaxPID = w3gs.ClassicSlots
	}
	cfg.MaxPID = min(cfg.MaxPID, w3gs.MaxSlots)
	l := &Lobby{
		cfg:      cfg,
		observer: w3gs.ObserverTeam,
		slots:    slices.Clone(cfg.Slots),
		owner:    cfg.Owner,
		realm:    cfg.OwnerRealm,
		held:     slices.Clone(cfg.Reserved),
		hcl:      cfg.HCL,
		random:   rand.New(rand.NewPCG(uint64(cfg.RandomSeed), uint64(cfg.RandomSeed))),
		auto: autoStart{
			AutoStart: AutoStart{Players: cfg.AutoStart, Full: cfg.AutoStartFull, Ready: cfg.AutoStartReady, Balanced: cfg.AutoStartBalanced},
			after:     cfg.StartAfter,
		},
	}
	if cfg.MaxPID > w3gs.ClassicSlots {
		l.observer = w3gs.ObserverTeam24
	}
	starts := uint8(0)
	for i := range l.slots {
		s := &l.slots[i]
		s.PID = 0
		if s.Status == w3gs.SlotOccupied && !s.Computer {
			s.Status = w3gs.SlotOpen
		}
		if s.Team == l.observer {
			s.Colour = l.observer
			continue
		}
		starts++
		if holder := l.colourHolder(i, s.Colour); s.Colour >= cfg.MaxPID || holder >= 0 && holder < i {
			s.Colour = l.unusedColour()
		}
	}
	if cfg.PlayerSlots == 0 {
		l.cfg.PlayerSlots = starts
	}
	l.seats = slices.Clone(l.slots)
	l.sent = slices.Clone(l.slots)
	l.returnVirtualHost()
	if len(cfg.Places) == len(l.slots) {
		l.restore()
		copy(l.sent, l.slots)
	}
	l.counts = l.Counts()
	return l
}

// Handle takes one event and appends what follows from it to out.
func (l *Lobby) Handle(now time.Duration, ev Event, out []Effect) []Effect {
	l.now, l.out = now, out
	switch ev := ev.(type) {
	case Join:
		l.act(nil)
		l.join(ev)
	case Vouch:
		if p := l.human(ev.PID); p != nil {
			p.doubtful = false
			if l.phase == phaseOpen {
				l.returnTo(p)
			}
		}
	case Doubt:
		l.auto.judgement = judgement{}
	case Judge:
		l.auto.judgement = judgement{slices.Clone(l.slots), ev.Why}
	case Chat:
		if p := l.human(ev.PID); p != nil {
			l.act(p)
			l.chat(p, ev)
		}
	case Extra:
		if p := l.human(ev.PID); p != nil {
			l.extra(p, ev.Packet)
		}
	case MapReport:
		if p := l.human(ev.PID); p != nil {
			l.mapReport(p, ev.Report)
		}
	case Progress:
		if p := l.human(ev.PID); p != nil {
			l.act(nil)
			l.progress(p, ev.Percent)
		}
	case Pong:
		if p := l.human(ev.PID); p != nil {
			l.pong(p, ev)
		}
	case Leave:
		if p := l.human(ev.PID); p != nil {
			l.act(nil)
			l.leave(p, ev)
		}
	default:
		l.act(nil)
		if no := l.try(ev.(Operation)); no != nil {
			l.emit(no)
		}
	}
	return l.finish()
}

// Tick does what is due by now.
func (l *Lobby) Tick(now time.Duration, out []Effect) []Effect {
	l.now, l.out = now, out
	l.ping()
	l.countDown()
	l.closeIdle()
	return l.finish()
}

// Next is when Tick has something to do; not ok when only an event can bring
// work: an empty lobby sleeps.
func (l *Lobby) Next() (at time.Duration, ok bool) {
	if at = l.next(); at == never {
		return 0, false
	}
	return at, true
}

func (l *Lobby) next() time.Duration {
	at := l.closeIdleDue()
	if l.phase == phaseClosed || l.Humans() == 0 {
		return at
	}
	if l.cfg.PingEvery > 0 {
		at = min(at, l.pingAt)
	}
	if l.phase == phaseCounting {
		at = min(at, l.countAt)
	}
	if changed, other := l.tableChanged(); l.phase < phaseStarted && changed {
		if other {
			at = min(at, l.tableAt)
		} else {
			at = min(at, max(l.tableAt, l.progressAt))
		}
	}
	if due := l.autoStartDue(); due > l.now {
		at = min(at, due)
	}
	return at
}

// finish tells clients and advertisements what an event has changed.
func (l *Lobby) finish() []Effect {
	if l.phase < phaseStarted {
		l.sendTable()
	}
	if l.phase != phaseClosed {
		l.settleOwner()
	}
	if l.phase < phaseStarted {
		l.autoStart()
	}
	if counts := l.Counts(); l.phase < phaseStarted && counts != l.counts {
		l.counts = counts
		l.emit(CountsChanged{counts})
	}
	out := l.out
	l.out = nil
	return out
}

// sendTable sends a 0x09 when the table has changed and the last is TableEvery
// old. Where only downloads have changed, it waits for the last such table to be
// ProgressEvery old.
func (l *Lobby) sendTable() {
	changed, other := l.tableChanged()
	if !changed || l.now < l.tableAt || !other && l.now < l.progressAt {
		return
	}
	if !other {
		l.progressAt = l.now + l.cfg.ProgressEvery
	}
	l.flushTable()
}

// tableChanged says whether the table is another than clients have, and whether
// in more than downloads.
func (l *Lobby) tableChanged() (changed, other bool) {
	for i, s := range l.slots {
		if s == l.sent[i] {
			continue
		}
		changed = true
		s.Download = l.sent[i].Download
		other = other || s != l.sent[i]
	}
	return changed, other
}

func (l *Lobby) flushTable() {
	copy(l.sent, l.slots)
	l.tableAt = l.now + l.cfg.TableEvery
	l.broadcast(l.Humans(), &w3gs.SlotInfo{SlotTable: l.SlotTable()})
}

func (l *Lobby) emit(e Effect) { l.out = append(l.out, e) }

func (l *Lobby) send(pid uint8, p w3gs.Packet) { l.emit(Send{pid, p}) }

func (l *Lobby) broadcast(to w3gs.PIDs, p w3gs.Packet) {
	if to != 0 {
		l.emit(Broadcast{to, p})
	}
}
