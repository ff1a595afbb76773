// Package registry is the shared, lock-protected index of a host's lobbies and games, and of the lobbies that its autohost
// entries want. Package host writes it on the goroutine of its loop; the web console, commands and metrics read it from
// theirs.
package registry

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/host/admission"
)

// IDMask covers the part of a game id that numbers lobbies. The high bits say which realm a join comes from; 0: the LAN.
const IDMask = 0x0FFFFFFF

// Registry is the index. Create it with New. Its methods do not block, and are safe for concurrent use.
type Registry struct {
	mu     sync.Mutex
	infos  map[uint32]*Info
	keeper *autohost.Keeper
	refill chan struct{}
}

// New returns an empty Registry. keeper makes the autohost.Keeper; it gets the function that reports whether a lobby or
// game has a player of a name, which the Keeper may call whenever it is called itself.
func New(keeper func(seated func(id uint32, name string) bool) *autohost.Keeper) *Registry {
	r := &Registry{infos: make(map[uint32]*Info), refill: make(chan struct{}, 1)}
	r.keeper = keeper(r.seated)
	return r
}

// seated reports whether a lobby or game has a player of that name. The caller holds mu.
func (r *Registry) seated(id uint32, name string) bool {
	i := r.infos[id]
	return i != nil && slices.ContainsFunc(i.Players, func(p game.Player) bool { return strings.EqualFold(p.Name, name) })
}

// Keep calls f, which may change which lobbies are wanted, with the lock held. Then Refill has a value.
func (r *Registry) Keep(f func(*autohost.Keeper)) {
	r.Locked(f)
	select {
	case r.refill <- struct{}{}:
	default:
	}
}

// Locked is Keep for an f after which no lobby needs to be opened.
func (r *Registry) Locked(f func(*autohost.Keeper)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(r.keeper)
}

// Refill returns the channel that has a value when lobbies may have to be opened or closed.
func (r *Registry) Refill() <-chan struct{} { return r.refill }

// Add adds a lobby or game. From then on i changes only by Note.
func (r *Registry) Add(i *Info) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.infos[i.ID] = i
}

// Remove removes a lobby or game.
func (r *Registry) Remove(id uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.infos, id)
}

// Note calls change with the lock held, which may change i.
func (r *Registry) Note(i *Info, change func(*Info)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(i)
}

// Info returns a copy of the state of a lobby or game; its ID is 0 if there is none.
func (r *Registry) Info(id uint32) Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.infos[id&IDMask]; i != nil {
		return i.Clone()
	}
	return Info{}
}

// Infos returns copies of the states of all lobbies and games, ordered by ID.
func (r *Registry) Infos() []Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Info, 0, len(r.infos))
	for _, id := range slices.Sorted(maps.Keys(r.infos)) {
		list = append(list, r.infos[id].Clone())
	}
	return list
}

// Totals counts all lobbies and games together.
type Totals struct {
	Lobbies, Games            int
	LobbyPlayers, GamePlayers int
	Missing                   int // lobbies that autohost wants and that are not open
}

// Totals counts without copying anything.
func (r *Registry) Totals(now time.Time) (t Totals) {
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

// RefuseSeat returns why nobody else from the address of count may join lobby id, or nil.
func (r *Registry) RefuseSeat(id uint32, count admission.SeatCount) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	entry := r.infos[id].Entry
	for other, i := range r.infos {
		count.Add(other == id, i.Entry == entry, i.addrs)
	}
	return count.Refused(r.keeper.Most(id))
}

// LobbyName returns a free name for a lobby whose creator gave none.
func (r *Registry) LobbyName() string {
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

// SharesName reports whether another lobby or game has the name of i.
func (r *Registry) SharesName(i *Info) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.infos {
		if o != i && strings.EqualFold(o.Name, i.Name) {
			return true
		}
	}
	return false
}

const (
	// staggerFrom is the number of games from which their turns are staggered over the period. Fewer games do not
	// delay each other.
	staggerFrom = 8
	// placeGrid is the distance between two places in the period. Games with the same place share a wake-up; sending
	// the turns of all games that fit there takes well under placeGrid.
	placeGrid = 2 * time.Millisecond
)

// Place returns the place of a game's turns in the period: each new game goes into the largest gap, by the golden
// ratio. ok is false if there are too few games for staggering.
func (r *Registry) Place(id uint32, period time.Duration) (at time.Duration, ok bool) {
	r.mu.Lock()
	games := len(r.infos)
	r.mu.Unlock()
	_, part := math.Modf(float64(id) * math.Phi)
	return time.Duration(part * float64(period)).Truncate(placeGrid), games >= staggerFrom
}
