package host

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/hold"
	"w3host/host/loop"
	"w3host/host/survive"
	"w3host/record/recording"
	"w3host/storage"
)

// What the host itself holds: its listeners, and from firstFlight on the memory that each
// process reads into.
const (
	heldMain hold.Name = iota + 1
	heldReturns
	firstFlight hold.Name = 16
)

// Survivors are what the process of an earlier host has left with the holder. The zero
// value is that of a host without a holder.
type Survivors struct {
	Shelf hold.Shelf // nil: nothing outlives this process

	games   []*survivor
	flights []*survive.Flight // the last process's first
	held    []hold.Name       // their names
}

// survivor is a game that was left.
type survivor struct {
	*survive.Left
	head
	id      uint32
	sockets map[game.LinkID]int
}

// head is what was drawn or looked up outside of the game's machine.
type head struct {
	Key      storage.GameKey
	EntryKey uint32
	Map      string
	File     string // as the entry calls the map
	Entry    string
	By       string
	Private  bool
	Replay   recording.About
	Journal  string
	Opened   time.Time
}

// FindSurvivors looks at what was left. Games that cannot be made again are given up.
func FindSurvivors(shelf hold.Shelf, log zerolog.Logger) *Survivors {
	s := &Survivors{Shelf: shelf}
	if shelf == nil {
		return s
	}
	left := shelf.Left()
	games := map[uint32]*survivor{}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(left))) {
		id, link := name.Split()
		if id == 0 {
			if name >= firstFlight {
				s.findFlight(name, left[name])
			}
			continue
		}
		g := games[id]
		if g == nil {
			g = &survivor{id: id, sockets: map[game.LinkID]int{}}
			games[id] = g
		}
		if link != 0 {
			g.sockets[game.LinkID(link)] = left[name]
		} else if err := s.findGame(g, left[name]); err != nil {
			log.Error().Err(err).Uint32("game", id).Msg("a game that was left cannot be taken over: its players see a closed connection")
		}
	}
	for _, g := range games {
		if g.Left != nil {
			s.games = append(s.games, g)
		} else {
			s.giveUp(g)
		}
	}
	slices.SortFunc(s.games, func(a, b *survivor) int { return len(a.Written()) - len(b.Written()) })
	return s
}

func (s *Survivors) findFlight(name hold.Name, fd int) {
	mem, err := s.Shelf.Map(fd)
	if err == nil {
		var f *survive.Flight
		if f, err = survive.FindFlight(mem); err == nil {
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
	l, err := survive.Find(mem)
	if err == nil {
		err = json.Unmarshal(l.Head, &g.head)
	}
	if err != nil {
		return errors.Join(err, mem.Close())
	}
	g.Left = l
	return nil
}

// giveUp ends what was held of a game.
func (s *Survivors) giveUp(g *survivor) {
	s.closeAll(g)
	s.Shelf.Drop(hold.GameName(g.id))
	if g.Left != nil {
		g.Forget()
	}
}

// closeAll ends the connections of a game that were left.
func (s *Survivors) closeAll(g *survivor) {
	for id, fd := range g.sockets {
		loop.Reset(fd)
		s.Shelf.Drop(hold.LinkName(g.id, uint32(id)))
	}
}

// dropFlights ends what is needed until all games are taken over.
func (s *Survivors) dropFlights() {
	for _, f := range s.flights {
		_ = f.Memory().Close() // nothing is lost with it
	}
	for _, name := range s.held {
		s.Shelf.Drop(name)
	}
	s.flights, s.held = nil, nil
}

// Any reports whether there are games whose players wait for their next turn.
func (s *Survivors) Any() bool { return len(s.games) > 0 }

// Keys are those of the games in the game log.
func (s *Survivors) Keys() (keys []storage.GameKey) {
	for _, g := range s.games {
		keys = append(keys, g.Key)
	}
	return keys
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
