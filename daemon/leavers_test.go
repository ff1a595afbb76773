package daemon

import (
	"net/netip"
	"testing"

	"w3host/game"
)

// Who has left is banned by what is known for certain: the account, else the address.
func TestLeaverBan(t *testing.T) {
	shared := prefixes([]string{"127.0.0.0/8", "198.51.100.7"})
	for _, test := range []struct{ realm, addr, want string }{
		{"home", "203.0.113.9:6112", "Bob@home"},
		{"", "203.0.113.9:6112", "203.0.113.9@"},
		{"", "[::ffff:203.0.113.9]:6112", "203.0.113.9@"},
		{"", "[2001:db8:1:2:3::4]:6112", "2001:db8:1:2::/64@"},
		{"", "127.0.0.1:6112", ""},
		{"", "198.51.100.7:6112", ""},
	} {
		ban, ok := leaverBan(game.Player{Name: "Bob", Realm: test.realm, Addr: netip.MustParseAddrPort(test.addr)}, shared)
		got := ""
		if ok {
			got = ban.Target() + "@" + ban.Realm
		}
		if got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}
