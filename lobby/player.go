package lobby

import (
	"slices"
	"strings"
	"time"

	"w3host/internal/allowance"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Player is a copy of the data about a human or fake player.
type Player struct {
	PID      uint8
	Name     string // unique in the lobby
	Nameless bool   // the name is made up: the client has none, or that of another player
	OwnName  string // the name with which a nameless player's client joined
	Realm    string // realm that confirmed the name, or empty
	Shown    string // name that other players see
	Told     string // name under which other clients know the player
	Slot     int
	Fake     bool
	Observer bool
	Team     uint8
	Colour   uint8
	Version  w3gs.Version // game version of the client; 0 means that of the lobby
	Handicap uint8        // as players see it, without the part of a mode string
	Reserved bool         // a place is reserved for this player
	Spared   bool         // exempt from limits of pings and ratings and from votes
	Muted    bool
	Ready    bool
	Joined   time.Duration
	Pings    int           // number of round trips measured
	RTT      time.Duration // median of the last three, 0 before the first
}

// ClientName returns the name under which all clients know the player.
func (p *Player) ClientName() string {
	if p.Nameless {
		return p.OwnName
	}
	return p.Name
}

// Counts are the slot counts announced to clients. Total = Open + Closed + Humans + Fakes + Computers.
type Counts struct {
	Humans    int
	Fakes     int
	Computers int
	Open      int
	Closed    int
	Total     int
}

// Players returns the number of players that clients see: humans and fake players.
func (c Counts) Players() int { return c.Humans + c.Fakes }

// player is a human or fake player with a pid.
type player struct {
	Join     // for fake players only the name
	pid      uint8
	name     string
	likeness string // likeness of the name; empty if names may look alike
	fake     bool
	entitled bool // made the owner in this seat, so that the name needs no confirmation
	order    int  // increases with each join; the latest is displaced first
	muted    bool
	ready    bool
	language texts.Language
	quiet    bool // does not get the host's lines to everybody
	chatFrom ChatFilter
	ignored  []string // names of players whose lines are hidden
	kicked   bool     // removed from a game, but not gone yet
	joined   time.Duration
	activeAt time.Duration // last activity

	needsMap   bool          // Sink.NeedsMap was called
	hadMap     time.Duration // when the client had the complete map
	requests   allowance.Allowance
	pings      []sentPing
	probeAt    time.Duration   // earliest time of a ping to this player alone
	rtts       []time.Duration // the last rttKept
	measured   int
	lines      []time.Duration // times of the latest lines
	saved      int             // lines typed during a lost connection, which do not count as flooding
	savedUntil time.Duration   // until when they are accepted
	mutedUntil time.Duration
	commands   allowance.Allowance
	extra      extras
}

// rtt returns the median of the last measurements, or 0.
func (p *player) rtt() time.Duration {
	if len(p.rtts) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(p.rtts))[len(p.rtts)/2]
}

// Player returns the human or fake player with this pid.
func (l *Lobby) Player(pid uint8) (Player, bool) {
	p := l.player(pid)
	if p == nil {
		return Player{}, false
	}
	return l.describe(p), true
}

func (l *Lobby) Players() []Player { return l.describeAll(l.seated(false)) }

func (l *Lobby) Fakes() []Player { return l.describeAll(l.seated(true)) }

// Find returns the players, human and fake, that a part of a name means, in slot order: the one with exactly that name,
// otherwise those whose battle tag has that name, otherwise all whose name contains it, ignoring case. With shown set it
// compares the names that players see.
func (l *Lobby) Find(part string, shown bool) []Player {
	called := func(p *player) string { return p.name }
	if shown {
		called = l.shown
	}
	for _, p := range l.players {
		if p != nil && sameName(called(p), part) {
			return []Player{l.describe(p)}
		}
	}
	var tagged, found []*player
	for _, s := range l.slots {
		p := l.players[s.PID]
		if p == nil || !strings.Contains(strings.ToLower(called(p)), strings.ToLower(part)) {
			continue
		}
		found = append(found, p)
		if own, tag := w3gs.CutTag(called(p)); tag && sameName(own, part) {
			tagged = append(tagged, p)
		}
	}
	if tagged != nil {
		found = tagged
	}
	return l.describeAll(found)
}

// Humans returns the pids of all human players, except those kicked from a game.
func (l *Lobby) Humans() (set w3gs.PIDs) {
	for _, p := range l.players {
		if p != nil && !p.fake && !p.kicked {
			set |= w3gs.Only(p.pid)
		}
	}
	return set
}

// MinPlayers returns the number of human players required by every start that is not forced.
func (l *Lobby) MinPlayers() int { return l.cfg.Start.MinPlayers }

// SlotTable returns a copy of the table that the next 0x09 will send. If players choose colours, it hides the colours of
// unoccupied slots from clients of 1.32 to 2.0, as these versions do.
func (l *Lobby) SlotTable() w3gs.SlotTable {
	slots := slices.Clone(l.slots)
	for i := range slots {
		if s := &slots[i]; l.version().HidesOpenColours() && l.melee() && s.Status != w3gs.SlotOccupied {
			s.Colour = l.observer
		}
	}
	return w3gs.SlotTable{
		Slots:       slots,
		RandomSeed:  l.cfg.RandomSeed,
		Layout:      l.cfg.Layout,
		PlayerSlots: l.cfg.PlayerSlots,
	}
}

// Counts counts the slots. The result is meaningful until the game starts.
func (l *Lobby) Counts() Counts {
	c := Counts{Total: len(l.slots)}
	for i, s := range l.slots {
		switch {
		case s.Status == w3gs.SlotOpen && !l.unused(i):
			c.Open++
		case s.Status != w3gs.SlotOccupied:
			c.Closed++
		case s.Computer:
			c.Computers++
		case l.human(s.PID) != nil:
			c.Humans++
		case l.players[s.PID] != nil:
			c.Fakes++
		}
	}
	return c
}

func (l *Lobby) describeAll(players []*player) (list []Player) {
	for _, p := range players {
		list = append(list, l.describe(p))
	}
	return list
}

func (l *Lobby) describe(p *player) Player {
	i := l.slotOf(p.pid)
	s := l.slots[i]
	if l.final != nil {
		s.Handicap = l.final[i].Slot.Handicap
	}
	d := Player{
		PID: p.pid, Name: p.name, Nameless: p.Nameless, Shown: l.shown(p), Told: l.clientName(p), Slot: i, Fake: p.fake,
		Observer: s.Team == l.observer, Team: s.Team, Colour: s.Colour,
		Handicap: s.Handicap,
		Version:  p.Version, Reserved: l.isHeld(p.Join), Spared: l.isSpared(p.Join), Muted: p.muted || l.now < p.mutedUntil, Ready: p.ready,
		Joined: p.joined, Pings: p.measured, RTT: p.rtt(),
	}
	if p.Nameless {
		d.OwnName = p.Req.Name
	}
	if !p.doubtful() {
		d.Realm = p.Realm
	}
	return d
}

// seated returns the human or fake players in slot order.
func (l *Lobby) seated(fake bool) (list []*player) {
	for _, s := range l.slots {
		if p := l.players[s.PID]; p != nil && p.fake == fake {
			list = append(list, p)
		}
	}
	return list
}

func (l *Lobby) player(pid uint8) *player {
	if pid >= pidLimit {
		return nil
	}
	return l.players[pid]
}

// human returns the human player with this pid, or nil.
func (l *Lobby) human(pid uint8) *player {
	if p := l.player(pid); p != nil && !p.fake {
		return p
	}
	return nil
}

// named returns the player with this name, ignoring case, or nil.
func (l *Lobby) named(name string) *player {
	for _, p := range l.players {
		if p != nil && sameName(p.name, name) {
			return p
		}
	}
	return nil
}

func (l *Lobby) slotOf(pid uint8) int {
	return slices.IndexFunc(l.slots, func(s w3gs.Slot) bool { return s.PID == pid })
}

func (l *Lobby) slot(p *player) *w3gs.Slot { return &l.slots[l.slotOf(p.pid)] }
