package game

import (
	"testing"
	"time"

	extension "w3host/protocol/gproxy"
	gproxy "w3host/protocol/gproxy/client"
)

// TestProxyUnderAnothersLag: while another lags for as long as they are waited for, the
// proxy of a connected player has no reason to feed its client empty actions of its own,
// or to tell the player that the time to come back has run out.
func TestProxyUnderAnothersLag(t *testing.T) {
	for _, empties := range []int{0, 2} {
		s := newScene()
		cfg := s.m.cfg
		cfg.Reconnect.Wait, cfg.Reconnect.Empties = time.Duration(empties+1)*time.Minute, empties
		s.open(cfg)
		var p gproxy.Proxy
		hears := func(b []byte) {
			if err := p.FromHost(s.now, b); err != nil {
				t.Fatal(err)
			}
		}
		events := func(lines ...string) {
			t.Helper()
			for _, line := range lines {
				if err := s.event(line); err != nil {
					t.Fatal(line, err)
				}
			}
		}
		events("join Ann", "join Bob", "proxy Ann", "proxy Bob", "console: start force", "wait 6s", "load", "wait 300ms", "acked Ann", "acked Bob", "ack")
		hears(extension.Offer{PID: s.pid("Ann"), Empties: uint8(empties)}.AppendTo(nil))
		s.heard = func(op *Op) {
			if op.Kind == Send && op.To.Has(s.pid("Ann")) {
				hears(op.Frame)
			}
		}
		events("lose Bob")
		fed := 0
		for range 20*60*(empties+1) + 20*10 {
			p.ToClient = nil
			if p.Tick(s.now) {
				t.Fatal("the proxy gives up")
			}
			fed += len(p.ToClient)
			events("wait 50ms", "acked Ann", "ack Bob")
		}
		if s.m.seats[s.pid("Bob")] != nil || s.m.seats[s.pid("Ann")] == nil {
			t.Errorf("%d empty actions: Bob was waited for too long, or Ann has left", empties)
		}
		if fed > 0 || p.RanOut > 0 {
			t.Errorf("%d empty actions: the proxy feeds its client %d bytes itself, and has told it %d times that the time is over", empties, fed, p.RanOut)
		}
	}
}
