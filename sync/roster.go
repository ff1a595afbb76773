package gamesync

import (
	"time"

	"w3host/internal/allowance"
	"w3host/protocol/w3gs"
)

// roster holds the players of a game and the sets of players that rules refer to.
type roster struct {
	byPID       [w3gs.MaxPID + 1]*player
	startHumans int       // number of human players at the start
	live        w3gs.PIDs // human players who are still in the game
	fakes       w3gs.PIDs // fake players, for whom the host acts; in byPID too
	loaded      w3gs.PIDs
	absent      w3gs.PIDs // players who have lost the connection and may reconnect
	unannounced w3gs.PIDs // absent players whose loss has not been announced yet
	proxied     w3gs.PIDs
	fed         w3gs.PIDs // players who have been sent a 0x0C
}

// player is a human or fake player.
type player struct {
	Player
	acked      uint32              // turns answered with 0x27
	queued     int                 // bytes of actions that wait for a turn
	early      int                 // bytes of actions delayed by hold
	earlyUntil time.Duration       // when the last delayed action is sent
	budget     allowance.Allowance // action budget; see affordable
	lag        lag
	lagged     allowance.Allowance // lag budget; see lagLeft
	away       allowance.Allowance // reconnect budget; see awayLeft
	ping       ping
	socket     socket
}

// lag is a player's state on the lag screen.
type lag struct {
	since      time.Duration // when the player was put on the screen
	dropAt     time.Duration // when the player is dropped
	wait       time.Duration // how long the screen waits while the connection is lost
	announceAt time.Duration // when the lost connection is announced to the others
	catchUp    time.Duration // an observer who has reconnected may be far behind until then
	missed     bool          // the connection was lost while on the screen
	from       time.Duration // when the oldest unanswered turn was sent
	record     Lagger        // data for Lag, as of when the screen appeared
	before     time.Duration // part of DropAfter used before the screen appeared
	charged    time.Duration // the time on the screen has been charged until then
}

// ping is a player's measured round trip.
type ping struct {
	known       bool
	rtt, smooth time.Duration
	at          time.Duration // time of the last measurement
}

// socket is the state of a player's socket as reported by the host.
type socket struct {
	backlog   int    // bytes waiting to be written
	moves     uint64 // last reported counter
	moved     bool   // it accepted data since the last turn
	movedTurn uint32 // last turn that may have been sent when moved was last set
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
	r.startHumans = r.live.Len()
	return r
}

// player returns the human player with the given pid, or nil if not in the game.
func (r *roster) player(pid uint8) *player {
	if !r.live.Has(pid) {
		return nil
	}
	return r.byPID[pid]
}
