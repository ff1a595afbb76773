package network

import (
	"net/netip"
	"testing"
)

func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.1":            "192.0.2.1/32",
		"::ffff:192.0.2.1":     "192.0.2.1/32",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"fe80::1%eth0":         "fe80::/64",
	} {
		if got := Of(netip.MustParseAddr(text)); got.String() != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
	if p := Of(netip.Addr{}); p.IsValid() || Base(netip.Addr{}).IsValid() {
		t.Errorf("no address: %v", p)
	}
}

func TestWide(t *testing.T) {
	for text, want := range map[string]string{
		"203.0.113.77":         "203.0.113.0",
		"::ffff:203.0.113.77":  "203.0.113.0",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1::",
		"192.168.1.5":          "",
		"127.0.0.1":            "",
		"fd00::1":              "",
		"fe80::1%eth0":         "",
	} {
		got := Wide(netip.MustParseAddr(text))
		if got.IsValid() != (want != "") || got.IsValid() && got.String() != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}
