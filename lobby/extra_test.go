package lobby

import (
	"fmt"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// A client that sends 0x59 all the time is heard by others as often as the bound says, and
// has no more kept of it.
func TestExtraFlood(t *testing.T) {
	cfg := Defaults()
	cfg.Slots, cfg.Layout = testSlots("melee", 2, 0)
	cfg.Wire.Version = 32
	h := new(heard)
	l := New(cfg, h)
	for i := range 2 {
		l.Join(0, Join{Conn: ConnID(i + 1), Req: w3gs.ReqJoin{Name: fmt.Sprintf("p%d", i)}})
	}
	pids := w3gs.Only(h.joined...)
	flooder := uint8(2)
	own, others := 0, 0
	for i := range 10_000 { // within a second
		now := time.Duration(i) * time.Second / 10_000
		packet := w3gs.NewProfile(flooder, fmt.Sprint(i/2)) // each twice
		h.packets = nil
		l.Extra(now, flooder, packet)
		for _, p := range h.packets {
			switch p.to {
			case w3gs.Only(flooder):
				own++
			case pids:
				others++
			default:
				t.Fatalf("to %b, want all (%b)", p.to, pids)
			}
		}
	}
	if others < newsBurst || others > newsBurst+2 || own+others > extraBurst+20 || own == 0 {
		t.Errorf("%d of 10000 messages went to all, %d to their sender alone", others, own)
	}
}
