package host

import (
	"errors"
	"net/netip"
	"testing"
	"time"
)

var (
	here  = netip.MustParseAddr("192.0.2.1")
	there = netip.MustParseAddr("192.0.2.2")
	local = netip.MustParseAddr("127.0.0.1")
)

func testGate(unjoined int) *gate {
	return newGate(Limits{
		Unjoined: unjoined, UnjoinedPerIP: 2, JoinsPerMinute: 6,
		Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
}

func TestGateUnjoined(t *testing.T) {
	g, now := testGate(5), time.Now()
	for i, tc := range []struct {
		leave bool
		addr  netip.Addr
		want  error
	}{
		{false, here, nil},
		{false, here, nil},
		{false, here, errUnjoinedIP},
		{false, there, nil},
		{true, here, nil},
		{false, here, nil}, // the one that was refused did not count
		{false, local, nil},
		{false, local, nil},
		{false, local, errUnjoinedTotal}, // exempt from the limit of an address alone
		{true, local, nil},
		{false, there, nil},
		{true, there, nil},
	} {
		if tc.leave {
			g.leave(tc.addr, now)
			continue
		}
		if err := g.enter(tc.addr, now); !errors.Is(err, tc.want) {
			t.Errorf("step %d, %v: %v, want %v", i, tc.addr, err, tc.want)
		}
	}
}

// TestGateJoins: six joins a minute, which come back one every ten seconds.
func TestGateJoins(t *testing.T) {
	g, now := testGate(5), time.Now()
	joins := func(addr netip.Addr) (n int) {
		for n < 100 && g.join(addr, now) == nil {
			n++
		}
		return n
	}
	if n := joins(here); n != 6 {
		t.Errorf("%d joins at first, want 6", n)
	}
	if n := joins(there); n != 6 {
		t.Errorf("%d joins of another address, want 6", n)
	}
	if n := joins(local); n != 100 {
		t.Errorf("%d joins of an exempt address, want no limit", n)
	}
	now = now.Add(21 * time.Second)
	if n := joins(here); n != 2 {
		t.Errorf("%d joins after 21 s, want 2", n)
	}
	now = now.Add(time.Hour)
	if n := joins(here); n != 6 {
		t.Errorf("%d joins after an hour, want 6", n)
	}
}

// TestGateForgets addresses that are quiet, and only those.
func TestGateForgets(t *testing.T) {
	g, begin := testGate(1<<20), time.Now()
	if err := g.enter(here, begin); err != nil {
		t.Fatal(err)
	}
	later := begin.Add(2 * time.Minute)
	for g.join(there, later) == nil { //nolint:revive // uses up the rate
	}
	addr := netip.MustParseAddr("10.0.0.1")
	for i := range 5000 {
		at := begin
		if i >= 4500 {
			at = later
		}
		if err := g.join(addr, at); err != nil {
			t.Fatal(err)
		}
		addr = addr.Next()
	}
	if n := len(g.visitors); n > 4096 {
		t.Errorf("%d addresses are kept", n)
	}
	if g.visitors[here] == nil {
		t.Error("an address with a connection was forgotten")
	}
	if err := g.join(there, later); !errors.Is(err, errJoinRate) {
		t.Errorf("an address that was active is forgiven: %v", err)
	}
	g.leave(here, later)
	if g.unjoined != 0 || g.visitors[here].unjoined != 0 {
		t.Errorf("%d connections are counted", g.unjoined)
	}
}
