package autohost

import (
	"math/rand/v2"
	"slices"
	"time"

	"w3host/fleet"
	"w3host/game"
	"w3host/texts"
)

// Keeper tracks the entries and their lobbies and games. It is not safe for concurrent use; package host guards it with
// a lock.
type Keeper struct {
	entries  []*state
	max      int // maximum number of lobbies and running games of the host
	retry    time.Duration
	disabled bool
	drain    int // number of the current drain, or 0
	drains   int // number of drains started so far
	games    map[uint32]*place
	random   *rand.Rand
	expand   func(choice string) []string
	seated   func(id uint32, name string) bool
	shared   bool          // other hosts serve the same entries; see Share
	gives    []fleet.Lease // leases to return
	orders   int           // orders returned by Next that are neither Opened nor Failed yet
}

// state is an entry with the state of its games.
type state struct {
	Entry
	off      bool
	opened   int // number of games so far
	rotation rotation
	last     string           // map of the last lobby
	next     string           // map chosen for the next lobby, or for all later ones
	always   bool             // next applies to all later lobbies
	votes    map[voter]string // values are maps
	wait     time.Time        // after a failure, do not try before this time
	grants   []fleet.Lease    // leases for lobbies that are not open yet
}

// place is a lobby or running game that counts towards the limits; of is nil without an entry.
type place struct {
	of    *state
	open  bool
	kept  bool // reserved for the lobby of a remake
	shut  bool // strangers cannot join; see Shut
	lease fleet.Lease
}

// New returns a Keeper without games. maximum is the limit for lobbies and games of the host, retry the pause after a
// failure to open a lobby. expand returns the maps of a choice; seated reports whether a lobby or game has a player of
// that name, ignoring case.
func New(entries []Entry, maximum int, retry time.Duration, seed uint64, expand func(choice string) []string, seated func(id uint32, name string) bool) *Keeper {
	k := &Keeper{
		games: make(map[uint32]*place), random: rand.New(rand.NewPCG(seed, seed)), retry: retry,
		expand: expand, seated: seated,
	}
	k.Configure(entries, maximum)
	return k
}

// Configure replaces the entries. An entry that keeps its name keeps its counts; games of removed entries continue.
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

// Order is a lobby to open. The caller must pass it to Opened or Failed.
type Order struct {
	Entry string
	Name  string
	Maps  []string // in order of preference; the first that can be hosted is used
	Setup game.Config
	Lease fleet.Lease // lease for the lobby; zero if none is needed
	of    *state
	order rotation

	Number int // number of the entry's lobby, from 1
}

// Next returns the order for the entry that has the fewest open lobbies, or false if no lobby is missing.
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

// Clocked reports whether the passing of time alone can open or close a lobby: an entry has hours or waits after a
// failure, an unwanted lobby still has players, or entries are shared with other hosts.
func (k *Keeper) Clocked(now time.Time) bool {
	waits := func(s *state) bool { return len(s.Hours) > 0 || !s.wait.IsZero() }
	return k.shared || slices.ContainsFunc(k.entries, waits) || len(k.Unwanted(now)) > 0
}

// Missing returns how many lobbies should be opened now.
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

// idle returns why an entry opens no lobby, or an empty text if it does or has enough.
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
		return texts.Of("opening lobbies is disabled: use enable to turn it back on")
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

// Opened reports that an order was carried out with the map file.
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

// Failed reports that none of an order's maps can be hosted here. It returns the lease, since another host may have one
// of the maps.
func (k *Keeper) Failed(o Order, now time.Time) {
	k.orders--
	o.of.wait = now.Add(k.retry)
	k.give(&o.Lease)
}

// Add reports that a lobby without an entry was opened.
func (k *Keeper) Add(id uint32) { k.games[id] = &place{open: true} }

// Survived reports a lobby or game that continues from an earlier process, as number number of the entry; entry may be
// empty.
func (k *Keeper) Survived(id uint32, entry string, number int, open bool) {
	g := &place{open: open}
	if i := slices.IndexFunc(k.entries, func(s *state) bool { return s.Name == entry }); i >= 0 && entry != "" {
		g.of = k.entries[i]
		g.of.opened = max(g.of.opened, number) // for shared entries the database has the count
	}
	k.games[id] = g
}

// Hold reserves the place of a game beyond its end, until Replaced.
func (k *Keeper) Hold(over uint32) {
	if g := k.games[over]; g != nil {
		g.kept = true
	}
}

// Replaced reports which lobby opened in place of a game; id is 0 if none did.
func (k *Keeper) Replaced(over, id uint32) {
	g := &place{open: true}
	if old := k.games[over]; old != nil && !k.shared { // with shared entries it is an additional lobby
		g.of = old.of
	}
	if delete(k.games, over); id != 0 {
		k.games[id] = g
	}
}

// Most returns the limits of lobbies and games for the host and for the entry of a game; the latter is 0 without an
// entry.
func (k *Keeper) Most(id uint32) (ofHost, ofEntry int) {
	if g := k.games[id]; g != nil && g.of != nil {
		ofEntry = g.of.MaxGames
	}
	return k.max, ofEntry
}

// Full reports whether the host's limit is reached.
func (k *Keeper) Full() bool { return len(k.games) >= k.max }

// Shut reports that strangers can no longer join an open lobby, or can again. A shut lobby does not count as an open lobby of its
// entry. It returns its lease, so with shared entries it does not count again when strangers can join once more.
func (k *Keeper) Shut(id uint32, shut bool) {
	if g := k.games[id]; g != nil {
		g.shut = shut || g.shut && k.shared
		if g.shut {
			k.give(&g.lease)
		}
	}
}

// Started reports that a lobby has started or closed.
func (k *Keeper) Started(id uint32) {
	if g := k.games[id]; g != nil {
		g.open = false
		k.give(&g.lease)
	}
}

// Ended reports that a lobby or game has ended.
func (k *Keeper) Ended(id uint32) {
	if g := k.games[id]; g != nil && !g.kept {
		k.give(&g.lease)
		delete(k.games, id)
	}
}

// Disable stops or resumes the opening of lobbies. Resuming cancels a drain.
func (k *Keeper) Disable(yes bool) {
	k.disabled = yes
	if !yes {
		k.drain = 0
	}
}

// Disabled reports whether the opening of lobbies is stopped.
func (k *Keeper) Disabled() bool { return k.disabled }

// Unwanted returns the open lobbies that should close once they are empty, because their entry is off, removed or
// outside its hours.
func (k *Keeper) Unwanted(now time.Time) (ids []uint32) {
	for _, id := range k.Lobbies() {
		if s := k.games[id].of; s.off || !s.Hours.contain(now) || !slices.Contains(k.entries, s) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Lobbies returns the open lobbies that belong to entries.
func (k *Keeper) Lobbies() (ids []uint32) {
	for id, g := range k.games {
		if g.open && g.of != nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Status is the state of an entry, for display.
type Status struct {
	Entry
	Off            bool
	Open, Playing  int
	Opened         int
	Last, Next     string
	Votes          []Votes
	OutsideOfHours bool
	Idle           texts.Text // why it opens no lobby; empty if it does or has enough
}

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
