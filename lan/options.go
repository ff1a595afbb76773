package lan

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"w3host/w3gs"
)

// DefaultPort is the UDP port on which every client searches and listens.
const DefaultPort = 6112

const (
	// defaultInterval is how often hosts refresh their entry; clients drop one
	// that is silent for some multiple of it.
	defaultInterval = 5 * time.Second
	// defaultRetry is the pause before a port that could not be had is tried again.
	defaultRetry = 5 * time.Second
)

// Options say who hears of the lobbies and where searches are awaited.
type Options struct {
	// Broadcast are the addresses that every announcement goes to. Nil means
	// 255.255.255.255:6112; an empty slice means no broadcast at all. A machine
	// on several networks sends the default to one of them only: name the
	// broadcast address of each.
	Broadcast []netip.AddrPort
	// Targets are further addresses, outside the reach of a broadcast, that
	// get the same datagrams.
	Targets []netip.AddrPort
	// Ports are the UDP ports on which searches are awaited. Nil means 6112.
	Ports []uint16
	// GamePort is the TCP port on which the host takes joins: it goes into
	// every 0x30. Searches are awaited on the UDP port of this number as well,
	// so that whoever knows the host's address and port can ask it directly.
	GamePort uint16
	// Bind is the local IPv4 address of all sockets. The zero value means all
	// addresses. Bound to one address, most systems deliver no broadcast
	// searches; clients then learn of lobbies by 0x31 and 0x32 alone.
	Bind netip.Addr
	// Product and Version are the game that clients must run; a search for
	// another gets no answer.
	Product w3gs.Product
	Version uint32 // 26 is 1.26
	// BroadcastInfo sends 0x30 with every 0x32, for clients behind relays that
	// forward one way only.
	BroadcastInfo bool
	// Interval between two 0x32 of a lobby; 5 s when zero.
	Interval time.Duration
	// Retry is the pause before a port that could not be opened, or has died,
	// is tried again; 5 s when zero.
	Retry time.Duration
	Log   zerolog.Logger
}

// withDefaults fills in what was left out and finds every fault at once.
func (o Options) withDefaults() (Options, error) {
	if o.Broadcast == nil {
		o.Broadcast = []netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{255, 255, 255, 255}), DefaultPort)}
	}
	if o.Ports == nil {
		o.Ports = []uint16{DefaultPort}
	}
	if !o.Bind.IsValid() {
		o.Bind = netip.IPv4Unspecified()
	}
	if o.Interval == 0 {
		o.Interval = defaultInterval
	}
	if o.Retry == 0 {
		o.Retry = defaultRetry
	}
	if o.GamePort != 0 && !slices.Contains(o.Ports, o.GamePort) {
		o.Ports = append(slices.Clone(o.Ports), o.GamePort)
	}
	o.Ports = unique(o.Ports)

	var faults []error
	for _, to := range slices.Concat(o.Broadcast, o.Targets) {
		if !to.Addr().Is4() || to.Port() == 0 {
			faults = append(faults, fmt.Errorf("lan: cannot announce to %q: want an IPv4 address and a port, like 192.168.1.255:6112", to))
		}
	}
	if !o.Bind.Is4() {
		faults = append(faults, fmt.Errorf("lan: cannot bind to %v: want an IPv4 address, or 0.0.0.0 for all", o.Bind))
	}
	if o.Interval < 0 || o.Retry < 0 {
		faults = append(faults, fmt.Errorf("lan: interval %v and retry %v must not be negative", o.Interval, o.Retry))
	}
	if o.Product != w3gs.ProductTFT && o.Product != w3gs.ProductROC {
		faults = append(faults, fmt.Errorf("lan: product %q: want %v or %v", o.Product.String(), w3gs.ProductTFT, w3gs.ProductROC))
	}
	return o, errors.Join(faults...)
}

// unique drops later copies. Port 0 is kept as often as it stands: each one
// asks the system for another free port.
func unique(ports []uint16) []uint16 {
	var out []uint16
	for _, p := range ports {
		if p == 0 || !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}
