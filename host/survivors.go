package host

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
	"w3host/protocol/w3gs"
	"w3host/record/recording"
	"w3host/storage"
)

// The host's own descriptors: its listeners, and from firstFlight on the memory that each
// process reads into.
const (
	heldMain hold.Name = iota + 1
	heldReturns
	firstFlight hold.Name = 16
)

// Survivors are the games and sockets that the process of an earlier host has left with the holder. The zero
// value is that of a host without a holder.
type Survivors struct {
	Shelf   hold.Shelf   // nil: nothing outlives this process
	Network loop.Network // nil: the system's
	// Open reads the map of a lobby that was left, as Autohost.Open does.
	Open func(file string, seen []w3gs.Version) (*Map, error)

	log     zerolog.Logger
	games   []*survivor       // the shortest first
	flights []*survive.Flight // the last process's first
	held    []hold.Name       // their names
	moved   atomic.Uint64     // what a standby has done
}

// survivor is a game that was left.
type survivor struct {
	*survive.Left
	head
	id      uint32
	fault   error     // why it cannot be made again, if that is known
	along   follower  // nil: this process does not run it along
	alongAt time.Time // it was begun to be run along from the start
	m       *Map      // nil: it was not needed yet
	sockets map[game.LinkID]int
}

// follower runs a game along that another process plays.
type follower interface {
	follow(*Survivors, *survivor)
}

// head holds values that were drawn or looked up outside of the game's machine.
type head struct {
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
	Session  string // that the lease hung on; empty: it did on none by then
	Again    bool   // it is a game that is played again
}

// FindSurvivors looks for games that were left.
func FindSurvivors(shelf hold.Shelf, log zerolog.Logger) *Survivors {
	s := &Survivors{Shelf: shelf, log: log}
	if shelf == nil {
		return s
	}
	left := shelf.Left()
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(left))) {
		s.hold(name, left[name])
	}
	return s
}

func (s *Survivors) network() loop.Network { return cmp.Or(s.Network, loop.System) }

// Settle gives up everything that belongs to no game that somebody plays or that can be made again.
func (s *Survivors) Settle() {
	for _, g := range s.games {
		if g.Left != nil && g.fault == nil { // the game may have started meanwhile
			g.fault = g.readHead()
		}
	}
	s.games = slices.DeleteFunc(s.games, func(g *survivor) bool {
		if g.Left != nil && g.fault == nil && g.Ended() && g.Own() {
			s.giveUp(g, s.network().Leave)
			return true
		}
		if g.Left != nil && (g.fault == nil || !g.Own()) {
			return false
		}
		s.log.Error().AnErr("reason", g.fault).Uint32("game", g.id).Msg("a game that was left cannot be taken over: its players see a closed connection")
		s.giveUp(g, s.network().Reset)
		return true
	})
	slices.SortFunc(s.games, func(a, b *survivor) int { return a.Len() - b.Len() })
}

// hold takes note of something that is held. The memory of a game comes behind its sockets.
func (s *Survivors) hold(name hold.Name, fd int) {
	id, link := name.Split()
	if id == 0 {
		if name >= firstFlight {
			s.findFlight(name, fd)
		}
		return
	}
	g := s.game(id)
	if g == nil {
		g = &survivor{id: id, sockets: map[game.LinkID]int{}}
		s.games = append(s.games, g)
	}
	g.along = nil // it knows nothing of this
	if link != 0 {
		g.sockets[game.LinkID(link)] = fd
	} else {
		g.fault = s.findGame(g, fd)
	}
}

// dropped takes note of the end of something.
func (s *Survivors) dropped(name hold.Name) {
	delete(s.Shelf.Left(), name)
	id, link := name.Split()
	g := s.game(id)
	if g == nil {
		return
	}
	if fd, ok := g.sockets[game.LinkID(link)]; ok {
		s.network().Leave(fd)
		delete(g.sockets, game.LinkID(link))
	}
	if link == 0 {
		s.games = slices.DeleteFunc(s.games, func(o *survivor) bool { return o == g })
		s.giveUp(g, s.network().Leave)
	}
}

func (s *Survivors) game(id uint32) *survivor {
	if i := slices.IndexFunc(s.games, func(g *survivor) bool { return g.id == id }); i >= 0 {
		return s.games[i]
	}
	return nil
}

func (s *Survivors) findFlight(name hold.Name, fd int) {
	if mem, err := s.Shelf.Map(fd); err == nil {
		if f, err := survive.FindFlight(mem); err == nil {
			s.flights = append(s.flights, f)
		}
	}
	s.held = append(s.held, name)
}

func (s *Survivors) findGame(g *survivor, fd int) error {
	mem, err := s.Shelf.Map(fd)
	if err != nil {
		return err
	}
	if g.Left, err = survive.Find(mem); err == nil {
		err = g.readHead()
	}
	return err
}

// readHead takes over the last notes of the process that plays the game.
func (g *survivor) readHead() error {
	err := g.Reread()
	if err == nil {
		err = json.Unmarshal(g.Left.Head, &g.head)
	}
	return err
}

// written counts the bytes that the system has taken of each stream of a game.
func (s *Survivors) written(g *survivor) (map[game.LinkID]uint64, error) {
	written := map[game.LinkID]uint64{}
	for id, fd := range g.sockets {
		c, err := s.Shelf.Count(fd)
		if err != nil {
			return nil, err
		}
		if !c.Over {
			written[id] = c.Written
		}
	}
	return written, nil
}

// mapOf reads the map of a game again. It has to be the same file.
func (s *Survivors) mapOf(g *survivor, cfg *game.Config) (*Map, error) {
	if g.m != nil {
		return g.m, nil
	}
	if s.Open == nil {
		return nil, errors.New("there are no maps")
	}
	file := g.Map
	if g.Entry != "" && !g.Again {
		file = g.File
	}
	m, err := s.Open(file, cfg.Seen())
	if err == nil {
		g.m, err = m.again(&cfg.Map)
	}
	return g.m, err
}

// needMap has the map of a lobby at hand; a game that is played needs it no more.
func (s *Survivors) needMap(g *survivor, v *survive.Revived) (err error) {
	if !v.Playing {
		_, err = s.mapOf(g, &v.Config)
	}
	return err
}

// parts is for a rerun of the game.
func (s *Survivors) parts(g *survivor) survive.MapParts {
	return func(cfg *game.Config) (*mapxfer.Parts, error) {
		m, err := s.mapOf(g, cfg)
		if err != nil {
			return nil, err
		}
		return m.Parts, nil
	}
}

// giveUp ends everything held of a game, its connections by a reset or, of one that has ended in the
// process that played it, as that has left them.
func (s *Survivors) giveUp(g *survivor, end func(fd int)) {
	s.drop(g, end)
	s.Shelf.Drop(hold.GameName(g.id))
	if g.Left != nil {
		g.Forget()
	}
}

// drop ends the connections of a game that were left.
func (s *Survivors) drop(g *survivor, end func(fd int)) {
	for id, fd := range g.sockets {
		end(fd)
		s.Shelf.Drop(hold.LinkName(g.id, uint32(id)))
	}
	clear(g.sockets)
}

// dropFlights ends the memory that is needed until all games are taken over.
func (s *Survivors) dropFlights() {
	for _, f := range s.flights {
		_ = f.Memory().Close() // nothing is lost with it
	}
	for _, name := range s.held {
		s.Shelf.Drop(name)
	}
	s.flights, s.held = nil, nil
}

// Any reports whether there is anybody who waits for the host.
func (s *Survivors) Any() bool {
	return slices.ContainsFunc(s.games, func(g *survivor) bool { return len(g.sockets) > 0 })
}

// Keys are those of the games in the game log.
func (s *Survivors) Keys() (keys []storage.GameKey) {
	for _, g := range s.games {
		if g.fault == nil {
			keys = append(keys, g.Key)
		}
	}
	return keys
}

// Sessions are those that leases of processes hung on which have ended: one that lives owns its games.
func (s *Survivors) Sessions() (list []string) {
	for _, g := range s.games {
		if g.Left != nil && g.fault == nil && g.Session != "" && !slices.Contains(list, g.Session) && g.Own() {
			list = append(list, g.Session)
		}
	}
	return list
}

// Replays are the names of their replays.
func (s *Survivors) Replays() (files []string) {
	for _, g := range s.games {
		if g.Replay.File != "" {
			files = append(files, g.Replay.File)
		}
	}
	return files
}

func (s *Survivors) journals() (files []string) {
	for _, g := range s.games {
		files = append(files, g.Journal)
	}
	return files
}
