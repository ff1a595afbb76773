package gamesync

import (
	"time"

	"w3host/internal/allowance"
	"w3host/protocol/w3gs"
)

// roster is the players of a game, and the sets of them that rules ask about.
type roster struct {
	byPID       [w3gs.MaxPID + 1]*player
	began       int       // humans at the start
	live        w3gs.PIDs // humans who are still in the game
	fakes       w3gs.PIDs // in byPID too: the host acts for them
	loaded      w3gs.PIDs
	absent      w3gs.PIDs // their connections are lost and may come back
	unannounced w3gs.PIDs // absent, which has not been announced to the others
	proxied     w3gs.PIDs
	fed         w3gs.PIDs // they have been sent a 0x0C
}

// player is one human or fake player.
type player struct {
	Player
	acked      uint32              // turns answered with 0x27
	queued     int                 // bytes of actions that wait for a turn
	early      int                 // the same of those that are held back; see hold
	earlyUntil time.Duration       // when the last of them goes out
	budget     allowance.Allowance // see affordable
	lag        lag
	lagged     allowance.Allowance // see lagLeft
	away       allowance.Allowance // see awayLeft
	ping       ping
	socket     socket
}

// lag is a player's part in a lag screen.
type lag struct {
	since      time.Duration // on the screen since
	dropAt     time.Duration // on the screen until
	wait       time.Duration // how long the screen waits while the connection is lost
	announceAt time.Duration // when the lost connection is announced to the others
	catchUp    time.Duration // until then one who came back may be as far behind as they are
	missed     bool          // the connection was lost since the screen came up
	from       time.Duration // when the oldest unanswered turn was sent
	record     Lagger        // as the screen came up
	before     time.Duration // what was used of DropAfter as the screen came up
	charged    time.Duration // until when the time on the screen is charged
}

// ping is the round trip to a player.
type ping struct {
	known       bool
	rtt, smooth time.Duration
	at          time.Duration // when it was measured last
}

// socket is the state of a player's socket by the reports of the host.
type socket struct {
	backlog   int    // bytes that wait for it
	moves     uint64 // as reported last
	moved     bool   // it took something since the last turn
	movedTurn uint32 // the last turn that may have left when that was last so
}

func newRoster(all []Player) roster {
	var r roster
	players := make([]player, len(all))
	for i, p := range all {
		players[i].Player = p
		r.byPID[p.PID] = &players[i]
		if p.Fake {
			r.fakes |= w3gs.Only(p.PID)
			continue
		}
		r.live |= w3gs.Only(p.PID)
		if p.Proxied {
			r.proxied |= w3gs.Only(p.PID)
		}
	}
	r.began = r.live.Len()
	return r
}

// player finds a human who is still in the game.
func (r *roster) player(pid uint8) *player {
	if !r.live.Has(pid) {
		return nil
	}
	return r.byPID[pid]
}
