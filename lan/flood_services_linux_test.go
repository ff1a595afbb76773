package lan

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"w3host/internal/tier"
	"w3host/lan/mdns"
)

// A flood of questions, forged or not, by multicast and at the host's own port, does not
// keep the host from answering, nor does it answer anybody more than once a second.
func TestFloodOfQuestions(t *testing.T) {
	tier.All(t, "floods in real time")
	length, rate := floodOf()
	a, addr := listen36(t, func(o *Options) {
		o.Bind = netip.IPv4Unspecified()
		o.pause = answerPause
	})
	addr = netip.AddrPortFrom(loopback, addr.Port())
	open(t, a, 1)
	until(t, "before the flood", func(ctx context.Context) ([]Found, error) { return search(ctx, addr, reforged, searchPace) },
		func(f []Found) bool { return len(f) == 1 })
	victim := newVictim(t, "127.0.2.2")
	var stop atomic.Bool
	var sent, loud atomic.Int64
	var flooders sync.WaitGroup
	question := mdns.Question("_w3xp2734")
	before, began := memory(), time.Now()
	flooders.Go(func() { flood(t, addr, localAddr(victim), question, rate/2, &stop, &sent) })
	flooders.Go(func() {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 3, 3)}) // an asker is an address
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		for ; !stop.Load(); time.Sleep(2 * time.Second / time.Duration(rate)) {
			if mdns.Ask(conn, question) == nil {
				loud.Add(1)
			}
		}
	})
	asked, answered := 0, 0
	for time.Since(began) < length {
		asked++
		if found, err := search(t.Context(), addr, reforged, searchPace); err == nil && len(found) == 1 {
			answered++
		}
		time.Sleep(answerPause)
	}
	stop.Store(true)
	flooders.Wait()
	got, grown := drain(victim), int64(memory()-before)
	t.Logf("%d forged questions and %d by multicast in %v; %d of %d honest ones answered; %d answers to one forged address; heap grew by %d",
		sent.Load(), loud.Load(), time.Since(began), answered, asked, got, grown)
	if answered < asked {
		t.Errorf("%d of %d honest questions got no answer", asked-answered, asked)
	}
	checkFlood(t, got, time.Since(began), grown)
}
