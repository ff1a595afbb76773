package host

import (
	"maps"
	"math"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/host/watch"
	"w3host/lobby"
)

// registry is how lobbies and games stand and which are wanted, for the loop and for all
// other goroutines.
type registry struct {
	mu     sync.Mutex
	infos  map[uint32]*Info
	keeper *autohost.Keeper
	refill chan struct{} // has a value when a lobby has started or ended
}

// Info is the state of a lobby or game, for rooms that do not run on the shard.
type Info struct {
	ID      uint32
	Name    string
	Map     string // its file
	Entry   string // of autohost; empty for none
	By      string // who asked for it; empty where an entry or the operator did
	Public  bool   // announced
	Closed  bool   // to strangers, also those who know its number: the host drains, or another has its lease
	Playing bool
	Apart   bool      // played by the process before, in which an upgrade has left it
	Since   time.Time // it was opened, or has begun
	Counts  lobby.Counts
	Players []game.Player // in the order of their joins

	show *watch.Show // nil: the game cannot be watched
}

// Watching is how many watch the game, at the host itself.
func (i *Info) Watching() int {
	if i.show == nil {
		return 0
	}
	return i.show.Watching()
}

func (i *Info) leave(pid uint8) {
	i.Players = slices.DeleteFunc(i.Players, func(p game.Player) bool { return p.PID == pid })
}

// addrs yields the addresses of the players.
func (i *Info) addrs(yield func(netip.Addr) bool) {
	for _, p := range i.Players {
		if !yield(p.Addr.Addr()) {
			return
		}
	}
}

func (i *Info) clone() Info {
	c := *i
	c.Players = slices.Clone(i.Players)
	return c
}

// Keep lets f ask and change which lobbies are opened. It must not wait.
func (r *registry) Keep(f func(*autohost.Keeper)) {
	r.mu.Lock()
	f(r.keeper)
	r.mu.Unlock()
	select {
	case r.refill <- struct{}{}:
	default:
	}
}

// Info returns the state of one lobby or game; its ID is 0 when there is none.
func (r *registry) Info(id uint32) Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.infos[id&gameIDMask]; i != nil {
		return i.clone()
	}
	return Info{}
}

// Infos returns the state of all lobbies and games, by their number.
func (r *registry) Infos() []Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Info, 0, len(r.infos))
	for _, id := range slices.Sorted(maps.Keys(r.infos)) {
		list = append(list, r.infos[id].clone())
	}
	return list
}

// Totals are all lobbies and games together.
type Totals struct {
	Lobbies, Games            int
	LobbyPlayers, GamePlayers int
	Missing                   int // lobbies that autohost wants and has not opened
}

// Totals counts, without a copy of anything.
func (r *registry) Totals(now time.Time) (t Totals) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range r.infos {
		if i.Playing {
			t.Games++
			t.GamePlayers += len(i.Players)
		} else {
			t.Lobbies++
			t.LobbyPlayers += len(i.Players)
		}
	}
	t.Missing = r.keeper.Missing(now)
	return t
}

// note changes the state of a lobby or game that others see.
func (r *registry) note(i *Info, change func(*Info)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(i)
}

// seated reports whether a lobby or game has a player of that name. The caller holds
// mu.
func (r *registry) seated(id uint32, name string) bool {
	i := r.infos[id]
	return i != nil && slices.ContainsFunc(i.Players, func(p game.Player) bool { return strings.EqualFold(p.Name, name) })
}

// LobbyName is the name of a lobby that nobody has given one.
func (r *registry) LobbyName() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.keeper.FreeName(func(name string) bool {
		for _, i := range r.infos {
			if i.Name == name {
				return true
			}
		}
		return false
	})
}

// sharesName reports whether another lobby or game has the name of this one.
func (r *registry) sharesName(i *Info) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.infos {
		if o != i && strings.EqualFold(o.Name, i.Name) {
			return true
		}
	}
	return false
}

// gameIDMask leaves the part of a game id that counts lobbies; the high bits
// say which realm a join comes from, 0 for the LAN.
const gameIDMask = 0x0FFFFFFF

// spreadFrom is with how many games their turns are spread over the period. A
// few do not get into each other's way, and then need not wait for their place.
const spreadFrom = 8

// placeGrid is the distance between two places in the period. Games that share a
// place share the wake-up; as many as fit there are sent in well under it.
const placeGrid = 2 * time.Millisecond

// place gives a game its place in the period, on the shard's clock: each next
// game goes where the largest gap is, by the golden ratio.
func (r *registry) place(id uint32, period time.Duration) (at time.Duration, spread bool) {
	r.mu.Lock()
	games := len(r.infos)
	r.mu.Unlock()
	_, share := math.Modf(float64(id) * math.Phi)
	return time.Duration(share * float64(period)).Truncate(placeGrid), games >= spreadFrom
}
