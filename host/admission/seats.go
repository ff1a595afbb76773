package admission

import (
	"errors"
	"iter"
	"math"
	"net/netip"

	"w3host/internal/network"
)

// Reasons for refusing a seat.
var (
	ErrSeats = errors.New("too many players from this address or its network (limits.seats_per_ip)")
	ErrGames = errors.New("players from this address or its network are in too many lobbies and games (limits.games_per_ip)")
	ErrShare = errors.New("players from this address already use their share of all lobbies and games (autohost.max_games)")
)

// SeatCount counts the seats of an address and of the network around it before a join.
//
// One address may have Limits.SeatsPerIP seats in Limits.GamesPerIP lobbies and games, in no more than half of those
// that the host and the entry may have, and in no more than are free: the more games others have, the fewer it may
// be in, so that a few addresses together do not take all. The network around it may have wideFactor times as many
// seats and lobbies, and three quarters of those that the host and the entry may have.
type SeatCount struct {
	limits              Limits
	addr                netip.Addr
	near, wide          occupied
	taken, takenOfEntry int // lobbies and games with any player: of the host, of the joined lobby's entry
}

// occupied counts the seats of an address or network, and the lobbies and games that they are in.
type occupied struct {
	seats, games, ofEntry int
	here                  bool // some seats are in the lobby that is joined
}

// CountSeats begins to count before a join from an address. The caller adds all lobbies and games.
func (c *Control) CountSeats(addr netip.Addr) SeatCount {
	return SeatCount{limits: c.limits, addr: addr}
}

// Add counts the players of a lobby or game by their addresses. joined: it is the lobby that is joined; sameEntry:
// it is of the same entry as that lobby.
func (c *SeatCount) Add(joined, sameEntry bool, players iter.Seq[netip.Addr]) {
	base, around := network.Base(c.addr), network.Wide(c.addr)
	all, near, wide := 0, 0, 0
	for addr := range players {
		all++
		if network.Base(addr) == base {
			near++
		}
		if around.IsValid() && network.Wide(addr) == around {
			wide++
		}
	}
	if all > 0 {
		c.taken++
		if sameEntry {
			c.takenOfEntry++
		}
	}
	c.near.add(near, joined, sameEntry)
	c.wide.add(wide, joined, sameEntry)
}

func (o *occupied) add(seats int, joined, sameEntry bool) {
	if seats == 0 {
		return
	}
	o.seats += seats
	o.games++
	o.here = o.here || joined
	if sameEntry {
		o.ofEntry++
	}
}

// Refused returns why another player of the address may not join, or nil. ofHost and ofEntry are how many lobbies and
// games the host and the entry may have; 0: no limit.
func (c *SeatCount) Refused(ofHost, ofEntry int) error {
	l := &c.limits
	err := c.near.refused(l.SeatsPerIP, l.GamesPerIP, min(share(ofHost, 1, 2), free(ofHost, c.taken)), min(share(ofEntry, 1, 2), free(ofEntry, c.takenOfEntry)))
	if err == nil {
		err = c.wide.refused(wideFactor*l.SeatsPerIP, wideFactor*l.GamesPerIP, share(ofHost, 3, 4), share(ofEntry, 3, 4))
	}
	return err
}

// refused returns why one more player may not join, or nil; 0 seats or games set no limit.
func (o *occupied) refused(seats, games, ofHost, ofEntry int) error {
	switch {
	case seats > 0 && o.seats >= seats:
		return ErrSeats
	case o.here || games == 0:
		return nil
	case o.games >= games:
		return ErrGames
	case o.games >= ofHost || o.ofEntry >= ofEntry:
		return ErrShare
	}
	return nil
}

// share returns a part of most games, at least one; without a limit if most is 0.
func share(most, part, of int) int {
	if most <= 0 {
		return math.MaxInt
	}
	return max(1, most*part/of)
}

// free returns how many of most games are not taken, at least one; without a limit if most is 0.
func free(most, taken int) int {
	if most <= 0 {
		return math.MaxInt
	}
	return max(1, most-taken)
}
