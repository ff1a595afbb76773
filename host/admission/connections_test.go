package admission

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"w3host/internal/allowance"
)

var (
	here  = netip.MustParseAddr("192.0.2.1")
	there = netip.MustParseAddr("192.0.2.2")
	local = netip.MustParseAddr("127.0.0.1")
)

func testControl(unjoined int) *Control {
	return New(Limits{
		Unjoined: unjoined, UnjoinedPerIP: 2, JoinsPerMinute: 6,
		Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
}

func TestUnjoined(t *testing.T) {
	g := testControl(5)
	for i, tc := range []struct {
		leave bool
		addr  netip.Addr
		want  error
	}{
		{false, here, nil},
		{false, here, nil},
		{false, here, ErrUnjoinedIP},
		{false, there, nil},
		{true, here, nil},
		{false, here, nil}, // the one that was refused did not count
		{false, local, nil},
		{false, local, nil},
		{false, local, ErrUnjoinedTotal}, // exempt from the limit of an address alone
		{true, local, nil},
		{false, there, nil},
		{true, there, nil},
	} {
		if tc.leave {
			g.Release(tc.addr)
			continue
		}
		if err := g.Connect(tc.addr); !errors.Is(err, tc.want) {
			t.Errorf("step %d, %v: %v, want %v", i, tc.addr, err, tc.want)
		}
	}
}

// TestUnjoinedPerNetwork: a network holds four times as many connections open as one address.
func TestUnjoinedPerNetwork(t *testing.T) {
	for _, first := range []string{"203.0.113.1", "2001:db8:1::1"} {
		g, n := testControl(1000), 0
		for addr := netip.MustParseAddr(first); n < 100 && g.Connect(addr) == nil; n++ {
			if addr = addr.Next(); addr.Is6() {
				b := addr.As16()
				b[7]++ // the next /64
				addr = netip.AddrFrom16(b)
			}
		}
		if n != wideFactor*2 {
			t.Errorf("%s: %d connections, want %d", first, n, wideFactor*2)
		}
		for range n {
			g.Release(netip.MustParseAddr(first))
		}
		if len(g.unjoinedPerNetwork) > 0 {
			t.Errorf("%s: %v left", first, g.unjoinedPerNetwork)
		}
	}
}

// TestJoins: six joins a minute, which come back one every ten seconds.
func TestJoins(t *testing.T) {
	g, now := testControl(5), time.Now()
	joins := func(addr netip.Addr) (n int) {
		for n < 100 && g.Join(addr, now) == nil {
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

// TestIPv6 counts all addresses of a /64 as one.
func TestIPv6(t *testing.T) {
	g := testControl(5)
	a, b, other := netip.MustParseAddr("2001:db8:0:1::1"), netip.MustParseAddr("2001:db8:0:1:ffff::"), netip.MustParseAddr("2001:db8:0:2::1")
	for _, addr := range []netip.Addr{a, b} {
		if err := g.Connect(addr); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Connect(b); !errors.Is(err, ErrUnjoinedIP) {
		t.Errorf("a third of one network: %v", err)
	}
	if err := g.Connect(other); err != nil {
		t.Errorf("of another: %v", err)
	}
	g.Release(a)
	if err := g.Connect(b); err != nil {
		t.Errorf("one has left: %v", err)
	}
	for range 6 {
		_ = g.Join(a, time.Now())
	}
	if err := g.Join(b, time.Now()); !errors.Is(err, ErrJoinRate) {
		t.Errorf("the seventh join: %v", err)
	}
}

// TestForgetsAddresses that were seen longest ago when there are too many, except addresses with an open connection.
func TestForgetsAddresses(t *testing.T) {
	g, begin := testControl(1<<20), time.Now()
	if err := g.Connect(here); err != nil {
		t.Fatal(err)
	}
	old := netip.MustParseAddr("192.0.2.3")
	for _, addr := range []netip.Addr{old, there} {
		for g.Join(addr, begin) == nil { //nolint:revive // uses up the rate
		}
	}
	addr := netip.MustParseAddr("10.0.0.1")
	for i := range 2*allowance.GenerationSize + 100 {
		if err := g.Join(addr, begin); err != nil {
			t.Fatal(err)
		}
		if i == allowance.GenerationSize {
			_ = g.Join(there, begin) // seen again
		}
		addr = addr.Next()
	}
	if n := g.joins.near.Len(); n < allowance.GenerationSize || n > 2*allowance.GenerationSize {
		t.Errorf("%d addresses are kept", n)
	}
	if g.unjoinedPerAddr[here] != 1 {
		t.Error("an address with a connection was forgotten")
	}
	if err := g.Join(there, begin); !errors.Is(err, ErrJoinRate) {
		t.Errorf("an address that was active is forgiven: %v", err)
	}
	if g.joins.near.Knows(old) {
		t.Error("the address that was seen longest ago is kept")
	}
	g.Release(here)
	if g.unjoined != 0 || len(g.unjoinedPerAddr) != 0 {
		t.Errorf("%d connections are counted", g.unjoined)
	}
}

// TestManyAddresses: a connection costs the same after 400,000 addresses as after
// 40,000, in time and memory.
func TestManyAddresses(t *testing.T) {
	visit := func(n int) (each time.Duration, kept int) {
		g, now := testControl(1<<20), time.Now()
		addr := netip.MustParseAddr("10.0.0.1")
		for range n {
			_ = g.Connect(addr)
			_ = g.Join(addr, now)
			g.Release(addr)
			addr = addr.Next()
		}
		return time.Since(now) / time.Duration(n), g.joins.near.Len() + len(g.unjoinedPerAddr)
	}
	few, keptFew := visit(40_000)
	many, keptMany := visit(400_000)
	if most := 2 * allowance.GenerationSize; keptFew > most || keptMany > most {
		t.Errorf("%d and %d addresses are kept, want no more than %d", keptFew, keptMany, most)
	}
	if many > 10*few+10*time.Microsecond { // a look at all of them would take 100 times as long
		t.Errorf("a connection takes %v among 40,000 addresses, %v among 400,000", few, many)
	}
	t.Logf("a connection takes %v among 40,000 addresses, %v among 400,000", few, many)
}
