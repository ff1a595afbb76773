package host

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"w3host/host/loop"
	"w3host/lan"
	"w3host/lobby"
	"w3host/protocol/w3gs"
)

// TestMeter: ten seconds' worth at once, then the rate; acknowledgements of parts of the
// map beside it, for parts that were sent.
func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate = 50
		begin := time.Now()
		m := newMeter(rate, 0)
		allowed := func(op w3gs.Op) (n int) {
			for n < 5000 && m.count(op, time.Since(begin)) == nil {
				n++
			}
			return n
		}
		m.sent(1000)
		for range 1000 {
			for _, op := range []w3gs.Op{w3gs.OpMapPartOK, w3gs.OpMapSize} {
				if err := m.count(op, 0); err != nil {
					t.Fatalf("an acknowledgement of what was sent: %v", err)
				}
			}
		}
		if n := allowed(w3gs.OpMapPartOK); n < rate*meterBurst-1 || n > rate*meterBurst {
			t.Errorf("%d packets at once, want %d", n, rate*meterBurst)
		}
		if err := m.count(w3gs.OpChatToHost, time.Since(begin)); !errors.Is(err, loop.ErrFlood) {
			t.Errorf("got %v, want ErrFlood", err)
		}
		time.Sleep(2 * time.Second)
		if n := allowed(w3gs.OpMapSize); n < 2*rate-2 || n > 2*rate {
			t.Errorf("%d packets after two seconds, want %d", n, 2*rate)
		}
		time.Sleep(time.Hour)
		if n := allowed(w3gs.OpKeepalive); n > rate*meterBurst {
			t.Errorf("%d packets after an hour, want no more than %d", n, rate*meterBurst)
		}
		time.Sleep(time.Minute)
		m.resume(time.Since(begin))
		if n := allowed(w3gs.OpKeepalive); n < 60*rate-1 || n > 60*rate {
			t.Errorf("%d packets after a minute without a connection, want %d", n, 60*rate)
		}
		time.Sleep(time.Hour)
		_ = m.count(w3gs.OpKeepalive, time.Since(begin))
		m.resume(time.Since(begin))
		m.resume(time.Since(begin))
		if n := allowed(w3gs.OpKeepalive); n > rate*meterBurst {
			t.Errorf("%d packets after two returns without an absence, want no more than %d", n, rate*meterBurst)
		}
		time.Sleep(time.Second)
		for range 20 * rate { // the rate itself, for longer than the burst
			time.Sleep(time.Second / rate)
			if err := m.count(w3gs.OpKeepalive, time.Since(begin)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestLANCount: the virtual host has a pid without a slot. Clients make room for
// as many pids as there are slots, up to what they know.
func TestLANCount(t *testing.T) {
	for _, tc := range []struct {
		version w3gs.Version
		slots   int
		want    lan.Count
	}{
		{26, 2, lan.Count{Slots: 3, Open: 1}},
		{26, 11, lan.Count{Slots: 12, Open: 1}},
		{26, 12, lan.Count{Slots: 12, Open: 1}},
		{29, 12, lan.Count{Slots: 13, Open: 1}},
		{29, 24, lan.Count{Slots: 24, Open: 1}},
	} {
		if got := lanCount(lobby.Counts{Total: tc.slots, Open: 1}, tc.version); got != tc.want {
			t.Errorf("1.%d, %d slots: %+v, want %+v", tc.version, tc.slots, got, tc.want)
		}
	}
}
