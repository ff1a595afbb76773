package spectate

import (
	"time"

	"w3host/protocol/w3gs"
)

// maxExtraLen is the longest 0x59 that is sent back. Real ones have up to 250 bytes.
const maxExtraLen = 1024

// meeting notes which of its 0x59 a client from 1.32 on has sent.
type meeting struct {
	skins, pair bool
	profiles    int
}

// meet sends a 0x59 of the client about itself back, as hosts do.
func (c *Client) meet(now time.Duration, e *w3gs.PlayerExtra, out *Out) {
	if !c.recording.Version.Reforged() || c.state > waiting || e.PID() != c.recording.Seat || len(e.Data) > maxExtraLen {
		return
	}
	switch e.Kind {
	case w3gs.ExtraSkins:
		c.met.skins = true
	case w3gs.ExtraPair:
		c.met.pair = true
	case w3gs.ExtraProfile:
		c.met.profiles++
	default:
		return
	}
	out.send(e)
	if c.state == greeting && c.hasMet() {
		c.welcome(now, out)
	}
}

// hasMet reports whether the client has sent all its 0x59: skins, a pair and, to 2.0, as many profiles as there are
// players. Those of 3.0 may send none.
func (c *Client) hasMet() bool {
	profiles := len(c.recording.others) + 1
	if c.recording.Version.IntroducesAtJoin() {
		profiles = 0
	}
	return c.met.skins && c.met.pair && c.met.profiles >= profiles
}
