package takeover

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/hold"
	"w3host/host/loop"
	"w3host/host/survive"
	"w3host/lan"
	"w3host/mapxfer"
	"w3host/record/journal"
	"w3host/record/recording"
	"w3host/storage"
)

// The names of the host's own descriptors. From FirstReadBuffer on they are those of the memory that each
// process reads into.
const (
	MainListener hold.Name = iota + 1
	ReturnListener
	FirstReadBuffer hold.Name = 16
)

// Map is a map that was opened for a lobby.
type Map interface {
	// Split returns its bytes in frames.
	Split() *mapxfer.Parts
}

// OpenMap opens the map of a lobby that an earlier process has left. It returns an error if the map is another
// file than the players of the lobby know.
type OpenMap func(h *Header, was *game.Config) (Map, error)

// Inheritance holds the games and sockets that earlier processes have left with the supervisor. The zero value is
// that of a host without one.
type Inheritance struct {
	Supervisor hold.Client  // nil: nothing outlives this process
	Network    loop.Network // nil: the system's
	OpenMap    OpenMap      // nil: there are no maps
	// Facts returns a new observer that keeps what lists show of a game.
	Facts func(*Game) Observer

	log     zerolog.Logger
	games   []*Game                                // the shortest first
	buffers []*survive.ReadBuffer                  // the last process's first
	held    []hold.Name                            // their names
	moved   atomic.Uint64                          // counts the steps of StandBy
	guard   func(id uint32, do func() error) error // makes an error of a panic
}

// Game is a lobby or game that an earlier process has left or still owns.
type Game struct {
	Header
	ID    uint32
	Left  *survive.Left // nil: its memory was not received or cannot be read
	Map   Map           // nil: it was not needed yet
	state State

	fault    error    // why it cannot be rebuilt, if that is known
	differs  error    // why the game stays with its owner
	replica  *replica // nil: there is none
	begunAt  time.Time
	verified bool // the replica was at the end of the journal once
	failed   bool // the replica of a game that stays
	sockets  map[game.LinkID]int
}

// Header holds the values of a game that were drawn or looked up outside of its machine. They are stored in its
// memory as JSON.
type Header struct {
	Key      storage.GameKey
	EntryKey uint32
	Map      string
	File     string // as the entry calls the map
	Entry    string
	By       string
	Private  bool
	Replay   recording.About
	Records  bool // there is a replay, whose file has a name from the start on
	Playing  bool // it has started
	Journal  string
	Opened   time.Time
	Variants []lan.Variant
	Number   int    // of the entry's lobbies
	Leased   bool   // it was listed under a lease
	Session  string // of the lease; empty: there was none yet
	Again    bool   // it is a game that is played again
}

// Inherit lists what earlier processes have left; supervisor is nil without a supervisor.
func Inherit(supervisor hold.Client, log zerolog.Logger) *Inheritance {
	in := &Inheritance{Supervisor: supervisor, log: log}
	if supervisor == nil {
		return in
	}
	left := supervisor.Inherited()
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(left))) {
		in.receive(name, left[name])
	}
	return in
}

// Games returns the games, the shortest first.
func (in *Inheritance) Games() []*Game { return in.games }

func (in *Inheritance) network() loop.Network { return cmp.Or(in.Network, loop.System) }

// receive takes note of a descriptor. The memory of a game comes behind its sockets.
func (in *Inheritance) receive(name hold.Name, fd int) {
	id, link := name.Split()
	if id == 0 {
		if name >= FirstReadBuffer {
			in.receiveBuffer(name, fd)
		}
		return
	}
	g := in.game(id)
	if g == nil {
		g = &Game{ID: id, sockets: map[game.LinkID]int{}}
		in.games = append(in.games, g)
	}
	g.replica = nil // it knows nothing of this descriptor
	if link != 0 {
		g.sockets[game.LinkID(link)] = fd
	} else {
		g.fault = in.receiveGame(g, fd)
	}
}

func (in *Inheritance) receiveBuffer(name hold.Name, fd int) {
	if mem, err := in.Supervisor.Map(fd); err == nil {
		if b, err := survive.OpenReadBuffer(mem); err == nil {
			in.buffers = append(in.buffers, b)
		}
	}
	in.held = append(in.held, name)
}

func (in *Inheritance) receiveGame(g *Game, fd int) error {
	mem, err := in.Supervisor.Map(fd)
	if err != nil {
		return err
	}
	if g.Left, err = survive.Find(mem); err == nil {
		err = g.readHeader()
	}
	return err
}

// dropped takes note that the owner has dropped a descriptor.
func (in *Inheritance) dropped(name hold.Name) {
	delete(in.Supervisor.Inherited(), name)
	id, link := name.Split()
	g := in.game(id)
	if g == nil {
		return
	}
	if fd, ok := g.sockets[game.LinkID(link)]; ok {
		in.network().Release(fd)
		delete(g.sockets, game.LinkID(link))
	}
	if link == 0 {
		g.state.To(Over)
		in.discard(g)
	}
}

func (in *Inheritance) game(id uint32) *Game {
	if i := slices.IndexFunc(in.games, func(g *Game) bool { return g.ID == id }); i >= 0 {
		return in.games[i]
	}
	return nil
}

// readHeader reads the last notes of the owner.
func (g *Game) readHeader() error {
	err := g.Left.Reread()
	if err == nil {
		err = json.Unmarshal(g.Left.Head, &g.Header)
	}
	return err
}

// Claim claims every game without an owner. It discards those that have ended, and those that nothing can be
// read of. It is called once this process hosts, before the takeover starts.
func (in *Inheritance) Claim() {
	for _, g := range slices.Clone(in.games) {
		if g.state != Claimed {
			g.claim()
		}
		if g.state == Abandoned {
			in.log.Error().AnErr("reason", g.fault).Uint32("game", g.ID).Msg("a game that was left cannot be taken over: its players see a closed connection")
		}
		if g.state == Ended || g.state == Abandoned {
			in.discard(g)
		}
	}
	slices.SortFunc(in.games, func(a, b *Game) int { return a.Left.Len() - b.Left.Len() })
}

// claim makes the game this process's if its lock is free; false: another process owns it.
func (g *Game) claim() bool {
	if g.Left == nil { // nobody can own sockets alone
		g.state.To(Freed)
		g.state.To(Lost)
		return true
	}
	if !g.Left.Own() {
		return false
	}
	g.state.To(Freed)
	if g.Left.Ended() {
		g.state.To(Over)
		return true
	}
	released := g.Left.Released()
	if g.fault = cmp.Or(g.fault, g.readHeader()); g.fault != nil {
		g.state.To(Lost)
		return true
	}
	g.fault = g.Left.RecordCrash()
	if released {
		g.Journal = journal.NewName(g.ID) // the other process may not have removed its own file yet
	}
	return true
}

// discard gives up everything held of a game. Its connections are reset, or left as the process has left them that
// has ended the game.
func (in *Inheritance) discard(g *Game) {
	end := in.network().Release
	if g.state == Abandoned {
		end = in.network().Reset
	}
	in.closeSockets(g, end)
	in.Supervisor.Drop(hold.GameName(g.ID))
	if g.Left != nil {
		g.Left.Forget()
	}
	in.games = slices.DeleteFunc(in.games, func(o *Game) bool { return o == g })
}

// CloseSockets resets the connections of a game that the host has not taken out. It is called on the loop.
func (in *Inheritance) CloseSockets(g *Game) { in.closeSockets(g, in.network().Reset) }

func (in *Inheritance) closeSockets(g *Game, end func(fd int)) {
	for id, fd := range g.sockets {
		end(fd)
		in.Supervisor.Drop(hold.LinkName(g.ID, uint32(id)))
	}
	clear(g.sockets)
}

// Buffers returns the memory that earlier processes have read into, the last one's first.
func (in *Inheritance) Buffers() []*survive.ReadBuffer { return in.buffers }

// dropBuffers gives back the memory that earlier processes have read into.
func (in *Inheritance) dropBuffers() {
	for _, b := range in.buffers {
		_ = b.Memory().Close() // nothing is lost with it
	}
	for _, name := range in.held {
		in.Supervisor.Drop(name)
	}
	in.buffers, in.held = nil, nil
}

// Buffer returns the name for this process's own read buffer.
func (in *Inheritance) Buffer() hold.Name {
	if len(in.held) > 0 {
		return in.held[0] + 1
	}
	return FirstReadBuffer
}

// written counts the bytes that the system has taken of each stream of a game.
func (in *Inheritance) written(g *Game) (map[game.LinkID]uint64, error) {
	written := map[game.LinkID]uint64{}
	for id, fd := range g.sockets {
		c, err := in.Supervisor.Count(fd)
		if err != nil {
			return nil, err
		}
		if !c.Over {
			written[id] = c.Written
		}
	}
	return written, nil
}

// openMap opens the map of a game, once.
func (in *Inheritance) openMap(g *Game, cfg *game.Config) (err error) {
	if g.Map != nil {
		return nil
	}
	if in.OpenMap == nil {
		return errors.New("there are no maps")
	}
	g.Map, err = in.OpenMap(&g.Header, cfg)
	return err
}

// parts returns the map for the rerun of a game that has to send some of it again.
func (in *Inheritance) parts(g *Game) survive.MapParts {
	return func(cfg *game.Config) (*mapxfer.Parts, error) {
		if err := in.openMap(g, cfg); err != nil {
			return nil, err
		}
		return g.Map.Split(), nil
	}
}
