package metrics

import (
	"time"

	"w3host/game"
	"w3host/host"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

// Values of labels that no other package defines.
const (
	joined    = "joined"
	hostCause = "host"
)

var refusals = map[w3gs.RejectReason]string{w3gs.RejectFull: "full", w3gs.RejectStarted: "started", w3gs.RejectWrongKey: "wrong_key"}

// ways maps the reasons for the end of a game to label values.
var ways = map[gamesync.EndReason]string{
	gamesync.EndAllLeft: "all_left", gamesync.EndLastPlayer: "one_player_left", gamesync.EndDesync: "desync", gamesync.EndEnded: "ended_by_host",
}

// Observe returns the observer of a game. It runs on the game loop and allocates nothing.
func (m *Metrics) Observe(uint32, string) host.Observer { return observer{m} }

type observer struct{ *Metrics }

// Observe counts a fact.
func (o observer) Observe(s *game.Stamped) {
	if s.Again {
		return
	}
	switch f := s.Fact.(type) {
	case *game.Turned:
		o.turned(f)
	case *game.Joined:
		o.joins.inc(joined)
	case *game.JoinRefused:
		o.joins.inc(refusals[f.Reason])
	case *game.LeftLobby:
		o.left(f.RTT)
	case *game.LeftGame:
		o.left(f.RTT)
	case *game.LinkLost:
		if f.Wait > 0 {
			o.returns.inc("lost")
		}
	case *game.LinkResumed:
		o.returns.inc("back")
	case *game.Dropped:
		if f.By != "" {
			o.drops.inc("kicked")
		} else {
			o.drops.inc("host")
		}
	case *game.Lagged:
		o.lags.inc(cause(f))
		o.screens.Observe(f.Stood.Seconds())
	case *game.Desynced:
		o.desyncs.Inc()
	case *game.DownloadEnded:
		o.mapBytes.Add(float64(f.Bytes))
		if f.Complete {
			o.downloads.inc("complete")
		} else {
			o.downloads.inc("failed")
		}
	case *game.Over:
		o.ends.inc(ways[f.How])
	}
}

func (o observer) turned(f *game.Turned) {
	o.turns.Inc()
	o.lateness.Observe(f.Late.Seconds())
	if f.Late >= time.Duration(f.Increment)*time.Millisecond && f.Increment > 0 {
		o.missed.Inc()
	}
}

func (o observer) left(rtt time.Duration) {
	if rtt > 0 {
		o.rtt.Observe(rtt.Seconds())
	}
}

// cause returns the cause of the longest wait of a lag.
func cause(f *game.Lagged) string {
	longest, why := time.Duration(-1), gamesync.CauseHost
	for i := range f.Players {
		if p := &f.Players[i]; p.Waited > longest {
			longest, why = p.Waited, p.Cause
		}
	}
	if why == gamesync.CauseHost {
		return hostCause
	}
	return string(why)
}
