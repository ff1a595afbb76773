package host

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"
)

// TestLeavesOfAnAddress: one address that joins and leaves under a new name each time, lobbies and games that have just
// begun alike, is refused after some of these leaves. Players of other addresses get in.
func TestLeavesOfAnAddress(t *testing.T) { inBubble(t, testLeavesOfAnAddress) }

func testLeavesOfAnAddress(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Limits.Exempt, o.Limits.LobbyLeaves, o.Limits.LobbyLeavesWithin = nil, 2, 10*time.Minute
		o.Limits.JoinsPerMinute = 100
	})
	g := r.lobby(4)
	knock := func(from, name string) *client { return r.knockOn(clientOn(t, r.connect(from)), g, name, player) }
	for i := range 2*leavesFactor - 1 {
		c := r.letIn(knock("203.0.113.7", fmt.Sprint("Eve", i)))
		c.Send(packet(0x21, uint32(7)))
		c.Until(0x1B)
	}
	last := r.letIn(knock("203.0.113.7", "Eve"))
	r.begin(last)
	last.Until(0x0C)
	last.Send(packet(0x21, uint32(7)))
	wantFIN(t, last)
	g = r.lobby(4)
	if b := knock("203.0.113.7", "Eve9").Next(); b[1] != 0x05 {
		t.Errorf("after so many leaves: % X", b)
	}
	r.letIn(knock("203.0.113.8", "Ann"))
}

// TestSourceLimiter: the network around addresses has four times the limit of one.
func TestSourceLimiter(t *testing.T) {
	limit, now, addr, allowed := newSourceLimiter(2, time.Hour), time.Now(), netip.MustParseAddr("203.0.113.1"), 0
	for range 20 {
		if limit.allow(now, addr) {
			allowed++
		}
		addr = addr.Next()
	}
	if allowed != 2*wideFactor || limit.delay(now, addr) == 0 {
		t.Errorf("%d of 20 addresses of one network are allowed", allowed)
	}
	if !limit.allow(now, netip.MustParseAddr("198.51.100.1")) {
		t.Error("another network is refused")
	}
	private := netip.MustParseAddr("192.168.0.1")
	for range 20 {
		if private = private.Next(); !limit.allow(now, private) {
			t.Errorf("%v of a private network is refused", private)
		}
	}
}

// TestCrowdOfSource: what an address or network may have is bounded by seats, lobbies and games, and its share of all.
func TestCrowdOfSource(t *testing.T) {
	for want, c := range map[error]crowdOfSource{
		errSeats: {seats: 9}, errGames: {seats: 1, games: 4}, errShare: {seats: 1, games: 1, ofEntry: 3},
	} {
		if err := c.refused(9, 4, share(12, 3, 4), share(4, 3, 4)); !errors.Is(err, want) {
			t.Errorf("%+v: %v, want %v", c, err, want)
		}
	}
}
