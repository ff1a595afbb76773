package lobby

import (
	"slices"
	"strings"
	"time"

	"w3host/internal/allowance"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Player describes a human or fake player. It is a copy.
type Player struct {
	PID      uint8
	Name     string // unlike that of any other player
	Nameless bool   // the name belongs to nobody: the client has none, or that of another player
	OwnName  string // with which a nameless player's client has joined
	Realm    string // that vouches for the name; empty: none
	Shown    string // what others call them
	Told     string // the name by which the clients of others know them
	Slot     int
	Fake     bool
	Observer bool
	Team     uint8
	Colour   uint8
	Version  w3gs.Version // of the game; 0: that of the lobby
	Handicap uint8        // what players see; not the byte that carries a mode string
	Reserved bool         // a place is held for them
	Spared   bool         // by the rules about pings and ratings, and by votes about players
	Muted    bool
	Ready    bool
	Joined   time.Duration
	Pings    int           // round trips measured
	RTT      time.Duration // median of the last three; 0 before the first
}

// ClientName returns the name by which all clients know the player.
func (p *Player) ClientName() string {
	if p.Nameless {
		return p.OwnName
	}
	return p.Name
}

// Counts are the numbers in an advertisement. Total = Open + Closed + Humans + Fakes
// + Computers.
type Counts struct {
	Humans    int
	Fakes     int
	Computers int
	Open      int
	Closed    int
	Total     int
}

// Players is everybody that clients count as a player: humans and fakes.
func (c Counts) Players() int { return c.Humans + c.Fakes }

// player is a pid that is in use by a human or a fake player.
type player struct {
	Join     // of a fake player only the name
	pid      uint8
	name     string
	likeness string // of the name; empty where names may look alike
	fake     bool
	entitled bool // was made the owner in this seat, so the name needs no confirmation
	order    int  // rises with each join; the latest is displaced first
	muted    bool
	ready    bool
	language texts.Language
	quiet    bool // gets no lines of the host to everybody
	ears     Ears
	ignored  []string // names of players whose lines they do not get
	kicked   bool     // from a game that they have not left yet
	joined   time.Duration
	activeAt time.Duration // did or said something last

	needsMap   bool          // as NeedsMap said
	hadMap     time.Duration // when the client had the whole map
	requests   allowance.Allowance
	pings      []sentPing
	probeAt    time.Duration   // the earliest time of a ping for this player alone
	rtts       []time.Duration // the last rttKept
	measured   int
	lines      []time.Duration // when the latest were said
	saved      int             // lines from before a return that count for no mute
	savedUntil time.Duration   // they come until then
	mutedUntil time.Duration
	commands   allowance.Allowance
	extra      extras
}

// rtt is the median of the last measurements.
func (p *player) rtt() time.Duration {
	if len(p.rtts) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(p.rtts))[len(p.rtts)/2]
}

// Player finds a human or fake player.
func (l *Lobby) Player(pid uint8) (Player, bool) {
	p := l.player(pid)
	if p == nil {
		return Player{}, false
	}
	return l.describe(p), true
}

// Players lists the humans in slot order.
func (l *Lobby) Players() []Player { return l.describeAll(l.seated(false)) }

// Fakes lists the fake players in slot order.
func (l *Lobby) Fakes() []Player { return l.describeAll(l.seated(true)) }

// Find lists the players, humans and fakes, that a part of a name means, in
// slot order: the one with exactly that name, or else those whose battle tags have that
// name, or else all whose names hold the part, ignoring case. Shown names are those by which
// players call each other.
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

// Humans is the set of all human players, without those kicked from a game.
func (l *Lobby) Humans() (set w3gs.PIDs) {
	for _, p := range l.players {
		if p != nil && !p.fake && !p.kicked {
			set |= w3gs.Only(p.pid)
		}
	}
	return set
}

// MinPlayers is how many humans any start needs that is not forced.
func (l *Lobby) MinPlayers() int { return l.cfg.Start.MinPlayers }

// SlotTable is a copy of the table as the next 0x09 would send it. Where players choose
// colours, clients of 1.32 to 2.0 know none of a slot that nobody is in.
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

// Counts counts the slots; the numbers hold until the game starts.
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

// seated lists the humans, or the fake players, in slot order.
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

// human finds a player with a connection.
func (l *Lobby) human(pid uint8) *player {
	if p := l.player(pid); p != nil && !p.fake {
		return p
	}
	return nil
}

// named finds a player by the whole name, ignoring case.
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
