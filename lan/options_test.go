package lan

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

func TestOptionDefaults(t *testing.T) {
	o, err := Options{Product: w3gs.ProductTFT, GamePort: 6113}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Broadcast) != 1 || o.Broadcast[0].String() != "255.255.255.255:6112" {
		t.Errorf("got broadcast %v", o.Broadcast)
	}
	if !reflect.DeepEqual(o.Ports, []uint16{6112, 6113}) {
		t.Errorf("got ports %v", o.Ports)
	}
	if o.Bind.String() != "0.0.0.0" || o.interval != 5*time.Second {
		t.Errorf("got bind %v, interval %v", o.Bind, o.interval)
	}
}

// A port is opened once, however often it is named; asking for any port twice
// gives two.
func TestOptionPorts(t *testing.T) {
	for _, tt := range []struct {
		ports []uint16
		game  uint16
		want  []uint16
	}{
		{nil, 6112, []uint16{6112}},
		{nil, 0, []uint16{6112}},
		{[]uint16{7, 8, 7}, 8, []uint16{7, 8}},
		{[]uint16{7}, 9, []uint16{7, 9}},
		{[]uint16{0, 0}, 9, []uint16{0, 0, 9}},
	} {
		o, err := Options{Product: w3gs.ProductTFT, Ports: tt.ports, GamePort: tt.game}.withDefaults()
		if err != nil || !reflect.DeepEqual(o.Ports, tt.want) {
			t.Errorf("%v and %d: got %v, %v, want %v", tt.ports, tt.game, o.Ports, err, tt.want)
		}
	}
}

// Every fault is in one error.
func TestOptionFaults(t *testing.T) {
	_, err := Listen(Options{
		Broadcast: []netip.AddrPort{netip.MustParseAddrPort("[::1]:6112")},
		Targets:   []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:0")},
		Bind:      netip.MustParseAddr("::1"),
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`"[::1]:6112"`, `"127.0.0.1:0"`, "bind to ::1", "must be W3XP or WAR3"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}
