package autohost

import (
	"math/rand/v2"
	"slices"
	"time"

	"w3host/fleet"
	"w3host/game"
	"w3host/texts"
)

// Keeper knows the entries and their games. It belongs to one goroutine.
type Keeper struct {
	entries  []*state
	max      int // lobbies and running games of the host
	retry    time.Duration
	disabled bool
	drain    int // the number of the drain that goes on; 0: none
	drains   int // so many have begun
	games    map[uint32]*place
	random   *rand.Rand
	expand   func(choice string) []string
	seated   func(id uint32, name string) bool
	shared   bool          // with other hosts: see Share
	gives    []fleet.Lease // to be given back
	orders   int           // of Next that are neither Opened nor Failed yet
}

// state is an entry with the progress of its games.
type state struct {
	Entry
	off      bool
	opened   int // games so far
	rotation rotation
	last     string           // the map of the last lobby
	next     string           // chosen for the next lobby, or for all
	always   bool             // next stays
	votes    map[voter]string // maps
	wait     time.Time        // nothing could be opened; not before
	grants   []fleet.Lease    // for lobbies that are not open yet
}

// place is that of a lobby or running game; of is nil where it is of no entry.
type place struct {
	of    *state
	open  bool
	kept  bool // its place is kept for another
	shut  bool // to strangers
	lease fleet.Lease
}

// New begins with no games. Maximum bounds the lobbies and games of the host
// together, retry is the pause after nothing could be opened, expand lists the maps
// that a choice stands for, and seated reports whether a lobby or game has a player
// of that name, in whichever letters.
func New(entries []Entry, maximum int, retry time.Duration, seed uint64, expand func(choice string) []string, seated func(id uint32, name string) bool) *Keeper {
	k := &Keeper{
		games: make(map[uint32]*place), random: rand.New(rand.NewPCG(seed, seed)), retry: retry,
		expand: expand, seated: seated,
	}
	k.Configure(entries, maximum)
	return k
}

// Configure replaces the entries. One that is still there by its name keeps its
// count; games of one that is gone go on.
func (k *Keeper) Configure(entries []Entry, maximum int) {
	before := k.entries
	k.entries, k.max = nil, maximum
	for _, e := range entries {
		s := &state{votes: map[voter]string{}}
		if i := slices.IndexFunc(before, func(s *state) bool { return s.Name == e.Name }); i >= 0 {
			s = before[i]
			s.wait, s.next = time.Time{}, ""
		}
		s.Entry = e
		k.entries = append(k.entries, s)
	}
	for _, s := range before {
		if !slices.Contains(k.entries, s) {
			k.gives = append(k.gives, s.grants...)
		}
	}
}

// Order is a lobby to be opened.
type Order struct {
	Entry string
	Name  string
	Maps  []string // the first that can be hosted
	Setup game.Config
	Lease fleet.Lease // under which the lobby is shown; zero: none is needed
	of    *state
	order rotation

	Number int // of the entry's lobbies, from 1
}

// Next is the lobby that is missing most; false when there are enough.
func (k *Keeper) Next(now time.Time) (Order, bool) {
	if k.disabled || len(k.games) >= k.max {
		return Order{}, false
	}
	var best *state
	for _, s := range k.entries {
		if k.wants(s, now) && (!k.shared || len(s.grants) > 0) && (best == nil || k.lobbies(s) < k.lobbies(best)) {
			best = s
		}
	}
	if best == nil {
		return Order{}, false
	}
	o := Order{Entry: best.Name, Setup: best.Setup, of: best}
	o.Maps, o.order = k.maps(best)
	number := best.opened + 1
	if k.shared {
		o.Lease, best.grants = best.grants[0], best.grants[1:]
		number = int(o.Lease.Number)
	}
	o.Number, o.Name = number, gameName(best.Name, number)
	k.orders++
	return o, true
}

// Clocked reports whether the passing of time alone may open or close a lobby: an entry has hours of the
// day or waits after a failure, an unwanted lobby still has players, or other hosts hold leases of the entries.
func (k *Keeper) Clocked(now time.Time) bool {
	waits := func(s *state) bool { return len(s.Hours) > 0 || !s.wait.IsZero() }
	return k.shared || slices.ContainsFunc(k.entries, waits) || len(k.Unwanted(now)) > 0
}

// Missing is how many lobbies are to be opened now.
func (k *Keeper) Missing(now time.Time) (n int) {
	if k.disabled {
		return 0
	}
	for _, s := range k.entries {
		lobbies, all := k.count(s)
		switch {
		case !k.wants(s, now):
		case k.shared:
			n += len(s.grants)
		default:
			n += min(s.Lobbies-lobbies, s.MaxGames-all)
		}
	}
	return min(n, max(k.max-len(k.games), 0))
}

func (k *Keeper) wants(s *state, now time.Time) bool {
	lobbies, all := k.count(s)
	return !s.off && lobbies < s.Lobbies && all < s.MaxGames && s.Hours.contain(now) && !now.Before(s.wait)
}

// idle is why an entry opens no lobby; empty: it does, or has enough.
func (k *Keeper) idle(s *state, now time.Time) texts.Text {
	lobbies, all := k.count(s)
	switch {
	case s.off:
		return texts.Of("off")
	case !s.Hours.contain(now):
		return texts.Of("outside its hours")
	case lobbies >= s.Lobbies:
		return texts.Text{}
	case k.disabled:
		return texts.Of("no new lobbies are opened: enable changes that")
	case all >= s.MaxGames:
		return texts.Of("its limit of lobbies and games is reached")
	case k.Full():
		return texts.Of("the host's limit of lobbies and games is reached")
	case now.Before(s.wait):
		return texts.Of("the last attempt failed (see the log); the next one is in %v", s.wait.Sub(now).Round(time.Second))
	}
	return texts.Text{}
}

func (k *Keeper) count(s *state) (lobbies, all int) {
	for _, g := range k.games {
		if g.of == s {
			all++
			if g.open && !g.shut {
				lobbies++
			}
		}
	}
	return lobbies, all
}

func (k *Keeper) lobbies(s *state) int { n, _ := k.count(s); return n }

// Opened says that an order was carried out with one of its maps.
func (k *Keeper) Opened(o Order, id uint32, file string) {
	s := o.of
	k.orders--
	s.opened++
	s.wait = time.Time{}
	if s.Rotation == InOrder {
		s.rotation = o.order.behind(file, s.next)
	}
	s.last = file
	if !s.always {
		s.next = ""
	}
	clear(s.votes)
	k.games[id] = &place{of: s, open: true, lease: o.Lease}
}

// Failed says that none of an order's maps can be hosted. Another host may have one.
func (k *Keeper) Failed(o Order, now time.Time) {
	k.orders--
	o.of.wait = now.Add(k.retry)
	k.give(&o.Lease)
}

// Add says that a lobby was opened that is of no entry.
func (k *Keeper) Add(id uint32) { k.games[id] = &place{open: true} }

// Survived says that a lobby or game of an entry, or of none, goes on that an earlier host has
// opened, as the entry's lobby of that number.
func (k *Keeper) Survived(id uint32, entry string, number int, open bool) {
	g := &place{open: open}
	if i := slices.IndexFunc(k.entries, func(s *state) bool { return s.Name == entry }); i >= 0 && entry != "" {
		g.of = k.entries[i]
		g.of.opened = max(g.of.opened, number) // a shared entry counts elsewhere
	}
	k.games[id] = g
}

// Hold keeps the place of a game, also when it is over, until Again.
func (k *Keeper) Hold(over uint32) {
	if g := k.games[over]; g != nil {
		g.kept = true
	}
}

// Replaced says which lobby has opened in the place of a game; 0: none.
func (k *Keeper) Replaced(over, id uint32) {
	g := &place{open: true}
	if old := k.games[over]; old != nil && !k.shared { // else it is one more lobby, of players who play again
		g.of = old.of
	}
	if delete(k.games, over); id != 0 {
		k.games[id] = g
	}
}

// Most are the lobbies and games that there may be of the host, and of the entry of a
// game; 0: of no entry.
func (k *Keeper) Most(id uint32) (ofHost, ofEntry int) {
	if g := k.games[id]; g != nil && g.of != nil {
		ofEntry = g.of.MaxGames
	}
	return k.max, ofEntry
}

// Full reports whether no further lobby may be opened.
func (k *Keeper) Full() bool { return len(k.games) >= k.max }

// Shut says whether a lobby that is open cannot be joined by strangers: it does not count as its entry's lobby then. Its lease is
// given back, so that where hosts share entries it does not count again when strangers can join once more.
func (k *Keeper) Shut(id uint32, shut bool) {
	if g := k.games[id]; g != nil {
		g.shut = shut || g.shut && k.shared
		if g.shut {
			k.give(&g.lease)
		}
	}
}

// Started says that a lobby has become a game, or is not open any more.
func (k *Keeper) Started(id uint32) {
	if g := k.games[id]; g != nil {
		g.open = false
		k.give(&g.lease)
	}
}

// Ended says that a lobby or game is gone.
func (k *Keeper) Ended(id uint32) {
	if g := k.games[id]; g != nil && !g.kept {
		k.give(&g.lease)
		delete(k.games, id)
	}
}

// Disable stops or resumes the opening of lobbies. To resume it calls a drain off.
func (k *Keeper) Disable(yes bool) {
	k.disabled = yes
	if !yes {
		k.drain = 0
	}
}

// Disabled reports whether no lobbies are opened.
func (k *Keeper) Disabled() bool { return k.disabled }

// Unwanted lists the open lobbies that should go while nobody is in them: their
// entry is off, gone, or it is not its hour.
func (k *Keeper) Unwanted(now time.Time) (ids []uint32) {
	for _, id := range k.Lobbies() {
		if s := k.games[id].of; s.off || !s.Hours.contain(now) || !slices.Contains(k.entries, s) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Lobbies lists the open lobbies of entries.
func (k *Keeper) Lobbies() (ids []uint32) {
	for id, g := range k.games {
		if g.open && g.of != nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Status is how an entry stands.
type Status struct {
	Entry
	Off            bool
	Open, Playing  int
	Opened         int
	Last, Next     string
	Votes          []Votes
	OutsideOfHours bool
	Idle           texts.Text // why it opens no lobby; empty: it does, or has enough
}

// Status returns the state of all entries.
func (k *Keeper) Status(now time.Time) []Status {
	list := make([]Status, 0, len(k.entries))
	for _, s := range k.entries {
		open, all := k.count(s)
		list = append(list, Status{
			Entry: s.Entry, Off: s.off, Open: open, Playing: all - open, Opened: s.opened, Last: s.last, Next: s.next,
			Votes: k.tally(s), OutsideOfHours: !s.Hours.contain(now), Idle: k.idle(s, now),
		})
	}
	return list
}
