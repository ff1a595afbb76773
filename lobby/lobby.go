package lobby

import (
	"math/rand/v2"
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

// Lobby is one game's lobby. It belongs to one goroutine.
type Lobby struct {
	cfg     Config
	seats   []w3gs.Slot // the slots as the map has them
	slots   []w3gs.Slot
	players [pidLimit]*player // by pid
	vhost   uint8             // pid of the virtual host, 0 when it is away
	owner   string
	held    []string
	hcl     string
	order   int
	random  *rand.Rand
	phase   phase
	muteAll bool

	now time.Duration
	out []Effect

	tableChanged  bool // a 0x09 is due at the end of the event
	progressDirty bool // a 0x09 is due when progressAt comes
	progressAt    time.Duration
	pingAt        time.Duration
	lastLeave     time.Duration
	lastLeaver    string
	count         int // lines still to be said
	countAt       time.Duration
	counts        Counts
	auto          autoStart
}

// pidLimit is above every pid.
const pidLimit = w3gs.MaxSlots + 1

// New opens a lobby. The slots are copied; a lobby has at least one.
func New(cfg Config) *Lobby {
	return nil
}

// Handle takes one event and appends what follows from it to out.
func (l *Lobby) Handle(now time.Duration, ev Event, out []Effect) []Effect {
	return out
}

// Tick does what is due by now.
func (l *Lobby) Tick(now time.Duration, out []Effect) []Effect { return out }

// Next is when Tick has something to do; not ok when only an event can bring
// work.
func (l *Lobby) Next() (at time.Duration, ok bool) { return 0, false }
