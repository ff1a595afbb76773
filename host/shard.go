package host

import (
	"slices"
	"time"

	"w3host/game"
	"w3host/host/loop"
	"w3host/protocol/w3gs"
)

// shard is the games of one loop. All but the loop's Call and Wait belongs to the loop's
// goroutine.
type shard struct {
	*loop.Loop
	host     *Host
	games    []*Game              // by number
	codes    map[string]whispered // by account
	lateness lateness

	action w3gs.OutgoingAction // what a packet is decoded into
	alive  w3gs.Keepalive
}

func newShard(h *Host) (*shard, error) {
	s := &shard{host: h, lateness: newLateness(), codes: map[string]whispered{}}
	var err error
	s.Loop, err = loop.New(loop.Handlers{Arrive: h.arrive, CannotAccept: func(err error, pause time.Duration) {
		h.log.Warn().Err(err).Dur("again_in", pause).Msg("cannot accept a connection")
	}})
	return s, err
}

// stop ends everything in order: no new connections, no unjoined ones, then the
// games, which flush their last packets.
func (s *shard) stop() {
	s.Stop(errHostStops)
	for _, g := range slices.Clone(s.games) {
		g.step(&game.Input{Kind: game.Stop, Why: game.HostStops.String()})
	}
}

// abandon ends what is left after Limits.Shutdown.
func (s *shard) abandon() {
	for _, g := range slices.Clone(s.games) {
		g.end()
	}
	for c := range s.Expiring(loop.Closing) {
		c.Cut(errHostStops)
	}
}

// makeRoom cuts the stranger whose last packets have been on their way for longest, or else
// the one that has been silent for longest. In a full room of refused ones the only silent
// ones are those that have just connected, whose join is not read yet.
func (s *shard) makeRoom() {
	for c := range s.Expiring(loop.Closing) {
		if l, ok := c.Handler.(*link); ok && l.stranger {
			c.Cut(nil)
			return
		}
	}
	for c := range s.Expiring(loop.Arriving) {
		c.Cut(errMadeRoom)
		return
	}
}

// add begins a game.
func (s *shard) add(g *Game) {
	s.games = append(s.games, g)
	g.group = s.Group(g, g.id)
}

// drop forgets a game.
func (s *shard) drop(g *Game) {
	s.games = slices.DeleteFunc(s.games, func(o *Game) bool { return o == g })
	if g.group != nil {
		s.CloseGroup(g.group)
	}
}
