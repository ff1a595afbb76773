package spectate

import (
	"time"

	"w3host/protocol/w3gs"
)

// maxExtraLen is the maximum length in bytes of 0x59 data that is sent back; real clients send up to 250.
const maxExtraLen = 1024

// meeting records which 0x59 (skins, pair, profiles) a client of 1.32 or later has sent about itself.
type meeting struct {
	skins, pair bool
	profiles    int
}

// meet echoes a 0x59 that the client has sent about itself, as real hosts do, and continues once all have come.
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

// hasMet reports whether the client has sent all its 0x59: skins, a pair and, up to 2.0, one profile per player.
// Clients of 3.0 need not send profiles.
func (c *Client) hasMet() bool {
	profiles := len(c.recording.others) + 1
	if c.recording.Version.IntroducesAtJoin() {
		profiles = 0
	}
	return c.met.skins && c.met.pair && c.met.profiles >= profiles
}
