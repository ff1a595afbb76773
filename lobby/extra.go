package lobby

import (
	"time"

	"w3host/w3gs"
)

// Bounds of what is relayed of 0x59. Real clients send four or five in a lobby,
// of up to 70 bytes; whatever is beyond the bounds is dropped.
const (
	maxExtraLen = 1024
	maxExtras   = 20 // within extraWindow
	extraWindow = 5 * time.Second
)

// extra relays a 0x59 to all, its sender included: the clients of 1.32 that host
// do so, and their guests wait for it.
func (l *Lobby) extra(p *player, packet *w3gs.Raw) {
	if l.cfg.RelayExtra && len(packet.Body) <= maxExtraLen && p.extras.room(l.now, extraWindow, maxExtras) {
		l.broadcast(l.Humans(), packet)
	}
}
