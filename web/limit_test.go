package web

import (
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"

	"w3host/web/access"
)

// Tries from all networks of a /56, which one line of IPv6 has, make nobody's tries forgotten.
func TestTriesAreKept(t *testing.T) {
	tries := newTries()
	network := func(n int) netip.Addr { return netip.MustParseAddr(fmt.Sprintf("2001:db8:0:%x::1", n)) }
	for range triesPerName {
		if !tries.allow("admin", network(0)) {
			t.Fatal("one of the first tries is refused")
		}
	}
	for n := 1; n < 256; n++ {
		for i := range triesPerAddr + 1 {
			if allowed := tries.allow(fmt.Sprint("name", i), network(n)); allowed != (i < triesPerAddr) {
				t.Fatalf("try %d from network %d: %v", i, n, allowed)
			}
		}
	}
	for _, name := range []string{"admin", "ADMIN", "Admin"} {
		if tries.allow(name, network(0)) {
			t.Errorf("%s may be tried again", name)
		}
	}
}

// Every spelling of a name that reaches the same account counts as the same name.
func TestTriesOfOneName(t *testing.T) {
	tries, from := newTries(), netip.MustParseAddr("192.0.2.1")
	spellings := []string{"kasse", "KASSE", "\u212aasse", "ka\u017fse", "kas\u017fe", "ka\u017f\u017fe"} // with the Kelvin sign and the long s
	for i, name := range spellings {
		if allowed := tries.allow(name, from); allowed != (i < triesPerName) {
			t.Errorf("try %d, %s: %v", i, name, allowed)
		}
	}
}

// Many strangers take nothing from callers who have logged in.
func TestPace(t *testing.T) {
	synctest.Test(t, testPace) // in which no time passes
}

func testPace(t *testing.T) {
	p, addr := NewPace(), netip.MustParseAddr("10.0.0.1")
	rook := Principal{Identity: access.Identity{Name: "Rook", Role: access.Viewer, Via: "api"}, Addr: addr}
	allowed := 0
	for range 3 * requestBurst {
		if p.allow(rook) {
			allowed++
		}
		for range 1000 {
			addr = addr.Next()
			p.allow(Principal{Addr: addr})
		}
	}
	if allowed != requestBurst {
		t.Errorf("%d requests are allowed at once, want %d", allowed, requestBurst)
	}
}
