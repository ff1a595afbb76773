package lobby

import (
	"slices"
	"time"

	"w3host/texts"
	"w3host/w3gs"
)

// Player is a copy of what the lobby knows of a human or fake player.
type Player struct {
	PID      uint8
	Name     string
	Realm    string // that vouches for the name; empty: none
	Slot     int
	Fake     bool
	Observer bool
	Team     uint8
	Colour   uint8
	Race     w3gs.Race
	Handicap uint8 // what players see; not the byte that carries a mode string
	Download uint8 // percent; w3gs.DownloadUnknown before the map check is answered
	Reserved bool
	Muted    bool
	External w3gs.SockAddr
	Joined   time.Duration
	Pings    int           // round trips measured
	RTT      time.Duration // median of the last three; 0 before the first
}

// Counts is what an advertisement tells. Total = Open + Closed + Humans + Fakes
// + Computers.
type Counts struct {
	Humans    int
	Fakes     int
	Computers int
	Open      int
	Closed    int
	Total     int
}

// Players is everybody that clients count as a player: humans and fakes.
func (c Counts) Players() int { return c.Humans + c.Fakes }

// player is a pid that is in use by a human or a fake player.
type player struct {
	pid      uint8
	name     string
	fake     bool
	realm    string // that the name is said to be of; empty: the LAN
	doubtful bool   // the realm has not confirmed it
	entitled bool   // was made the owner in this seat, whatever the name is worth
	order    int    // rises with each join; the latest is displaced first
	muted    bool
	ready    bool
	language texts.Language
	deaf     bool // to what the host says to everybody
	kicked   bool // from a game, which they have not left yet
	external w3gs.SockAddr
	shared   bool // external is many players' address
	req      w3gs.ReqJoin
	joined   time.Duration
	activeAt time.Duration // did or said something last

	asked      bool          // NeedsMap has been given
	askedUntil time.Duration // requests are paid for up to then; two seconds ago at the earliest
	pings      []sentPing
	rtts       []time.Duration // the last rttKept
	measured   int
	lines      window
	mutedUntil time.Duration
	commands   window
	extras     window // of 0x59
}

// window is when the latest things of a kind happened.
type window []time.Duration

// room counts one more thing, if fewer than limit have happened within span.
func (w *window) room(now, span time.Duration, limit int) bool {
	for len(*w) > 0 && (*w)[0] <= now-span {
		*w = (*w)[1:]
	}
	if len(*w) >= limit {
		return false
	}
	*w = append(*w, now)
	return true
}

// rtt is the median of what was measured last.
func (p *player) rtt() time.Duration {
	if len(p.rtts) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(p.rtts))
	return sorted[len(sorted)/2]
}
