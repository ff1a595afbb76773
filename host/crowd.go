package host

import (
	"errors"
	"math"
	"net/netip"

	"w3host/internal/network"
)

// Why somebody may not sit down.
var (
	errSeats = errors.New("too many players from this address (limits.seats_per_ip)")
	errGames = errors.New("players from this address are in too many lobbies and games (limits.games_per_ip)")
	errShare = errors.New("players from this address already use half of all lobbies and games (autohost.max_games)")
)

// crowded says why nobody else from an address may join a lobby. One address has so many
// seats, in so many lobbies and games, and never in more than half of those that the
// host and the entry may have: others find a lobby, whatever it does.
func (s *shard) crowded(id uint32, addr netip.Addr) error {
	limits := &s.opts.Limits
	if s.gate.exempt(addr) {
		return nil
	}
	source := network.Base(addr)
	seats, games, ofEntry, here := 0, 0, 0, false
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, i := range s.infos {
		n := 0
		for _, p := range i.Players {
			if network.Base(p.Addr.Addr()) == source {
				n++
			}
		}
		if seats += n; n > 0 {
			games++
			here = here || other == id
			if i.Entry == s.infos[id].Entry {
				ofEntry++
			}
		}
	}
	ofHost, most := s.keeper.Most(id)
	switch {
	case limits.SeatsPerIP > 0 && seats >= limits.SeatsPerIP:
		return errSeats
	case here || limits.GamesPerIP == 0:
		return nil
	case games >= limits.GamesPerIP:
		return errGames
	case games >= half(ofHost) || ofEntry >= half(most):
		return errShare
	}
	return nil
}

// half of so many games, but one; of none for no limit.
func half(most int) int {
	if most <= 0 {
		return math.MaxInt
	}
	return max(1, most/2)
}
