package host

import (
	"errors"
	"math"
	"net/netip"

	"w3host/internal/network"
)

// Why somebody may not sit down.
var (
	errSeats = errors.New("too many players from this address or its network (limits.seats_per_ip)")
	errGames = errors.New("players from this address or its network are in too many lobbies and games (limits.games_per_ip)")
	errShare = errors.New("players from this address already use their share of all lobbies and games (autohost.max_games)")
)

// crowded says why nobody else from an address may join a lobby. One address has so many
// seats, in so many lobbies and games, and never in more than half of those that the
// host and the entry may have: others find a lobby, whatever it does. The more games others have, the fewer it may be in: only as long
// as it has fewer than are free, so that a few addresses together do not take all. The network around the address has four times as
// many seats and lobbies, and three quarters of those that there may be.
func (s *shard) crowded(id uint32, addr netip.Addr) error {
	limits := &s.opts.Limits
	if s.gate.exempt(addr) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ofHost, ofEntry := s.keeper.Most(id)
	near, source := s.crowdOf(id, func(a netip.Addr) bool { return network.Base(a) == network.Base(addr) }), network.Wide(addr)
	err := near.refused(limits.SeatsPerIP, limits.GamesPerIP, min(share(ofHost, 1, 2), free(ofHost, near.taken)), min(share(ofEntry, 1, 2), free(ofEntry, near.takenOfEntry)))
	if err == nil && source.IsValid() {
		wide := s.crowdOf(id, func(a netip.Addr) bool { return network.Wide(a) == source })
		err = wide.refused(wideFactor*limits.SeatsPerIP, wideFactor*limits.GamesPerIP, share(ofHost, 3, 4), share(ofEntry, 3, 4))
	}
	return err
}

// crowdOfSource counts the seats of the players of an address or network, and the lobbies and games that they are in.
type crowdOfSource struct {
	seats, games, ofEntry int
	here                  bool // some are in the lobby that is joined
	taken, takenOfEntry   int  // lobbies and games with anybody in them
}

// crowdOf counts the players whose addresses match, for a join to a lobby. The caller holds registry.mu.
func (s *shard) crowdOf(id uint32, match func(netip.Addr) bool) (c crowdOfSource) {
	for other, i := range s.infos {
		n, sameEntry := 0, i.Entry == s.infos[id].Entry
		if len(i.Players) > 0 {
			c.taken++
			if sameEntry {
				c.takenOfEntry++
			}
		}
		for _, p := range i.Players {
			if match(p.Addr.Addr()) {
				n++
			}
		}
		if c.seats += n; n > 0 {
			c.games++
			c.here = c.here || other == id
			if sameEntry {
				c.ofEntry++
			}
		}
	}
	return c
}

// refused returns why one more player of a crowd may not join; 0 seats or games set no limit.
func (c *crowdOfSource) refused(seats, games, ofHost, ofEntry int) error {
	switch {
	case seats > 0 && c.seats >= seats:
		return errSeats
	case c.here || games == 0:
		return nil
	case c.games >= games:
		return errGames
	case c.games >= ofHost || c.ofEntry >= ofEntry:
		return errShare
	}
	return nil
}

// share returns a part of so many games, at least one; of none: no limit.
func share(most, part, of int) int {
	if most <= 0 {
		return math.MaxInt
	}
	return max(1, most*part/of)
}

// free returns how many of so many games are not taken, at least one; of none: no limit.
func free(most, taken int) int {
	if most <= 0 {
		return math.MaxInt
	}
	return max(1, most-taken)
}
