package lan

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/heartbeat"
	"w3host/protocol/w3gs"
)

// DefaultPort is the UDP port on which clients to 1.29 search and listen.
const DefaultPort = 6112

const (
	// defaultInterval is how often hosts refresh their entry; clients drop one
	// that is silent for some multiple of it.
	defaultInterval = 5 * time.Second
	// defaultRetry is the pause before a port that could not be opened is tried again.
	defaultRetry = 5 * time.Second
)

var (
	limitedBroadcast  = netip.AddrFrom4([4]byte{255, 255, 255, 255})
	loopbackBroadcast = netip.AddrFrom4([4]byte{127, 255, 255, 255})
)

// Options say where lobbies are announced and on which ports searches are answered.
type Options struct {
	// Broadcast are the addresses that every announcement goes to. Nil means
	// 255.255.255.255:6112; an empty slice means no broadcast at all. A machine
	// on several networks sends the limited broadcast to one of them only; where
	// it has no route for it at all, the broadcast address of each interface
	// takes its place.
	Broadcast []netip.AddrPort
	// InterfacePort, when it is not zero, is the port of a further broadcast to
	// the network that each interface has at that moment.
	InterfacePort uint16
	// Targets are further addresses, outside the reach of a broadcast, that
	// get the same datagrams.
	Targets []netip.AddrPort
	// PushInfo sends the targets a 0x30 with every 0x32.
	PushInfo bool
	// Ports are the UDP ports on which searches are answered. Nil means 6112.
	Ports []uint16
	// GamePort is the TCP port on which the host takes joins: it goes into
	// every 0x30. Searches are answered on the UDP port of this number as well, so
	// that the host can be asked directly by its address and port.
	GamePort uint16
	// Bind is the local IPv4 address that announcements and answers come from.
	// The zero value means all addresses; an answer then comes from the one that
	// was asked. A loopback address announces to this machine only.
	Bind netip.Addr
	// IPv6 says that the host takes joins by IPv6 as well; clients of 1.30 to 2.0 are told.
	IPv6 bool
	// Product and Version are the game that clients must run; a search for
	// another gets no answer.
	Product w3gs.Product
	Version uint32 // 26 is 1.26
	// Versions are further versions whose clients may join the same lobbies.
	// Each asker gets the version it speaks. withDefaults puts Version first.
	Versions []uint32
	// BroadcastInfo sends 0x30 with every 0x32, for clients behind relays that
	// forward one way only.
	BroadcastInfo bool
	// Heart beats at least every 1.2 seconds while a lobby is open. Regular announcements go out with the
	// beat next to the time when they are due. Nil: at that time.
	Heart *heartbeat.Heart
	Log   zerolog.Logger

	interval, retry, pause time.Duration // for tests; zero: defaultInterval, defaultRetry, answerPause
	localPort              uint16        // for tests; zero: LocalPort
}

// withDefaults sets the defaults and returns all faults.
func (o Options) withDefaults() (Options, error) {
	if o.Broadcast == nil {
		o.Broadcast = []netip.AddrPort{netip.AddrPortFrom(limitedBroadcast, DefaultPort)}
	}
	if o.Ports == nil {
		o.Ports = []uint16{DefaultPort}
	}
	if !o.Bind.IsValid() {
		o.Bind = netip.IPv4Unspecified()
	}
	o.interval = cmp.Or(o.interval, defaultInterval)
	o.retry = cmp.Or(o.retry, defaultRetry)
	o.pause = cmp.Or(o.pause, answerPause)
	o.localPort = cmp.Or(o.localPort, LocalPort)
	if o.GamePort != 0 && !slices.Contains(o.Ports, o.GamePort) {
		o.Ports = append(slices.Clone(o.Ports), o.GamePort)
	}
	o.Ports = unique(o.Ports)
	o.Versions = unique(slices.Concat([]uint32{o.Version}, o.Versions))
	var faults []error
	for _, to := range slices.Concat(o.Broadcast, o.Targets) {
		if !to.Addr().Is4() || to.Port() == 0 {
			faults = append(faults, fmt.Errorf("lan: cannot announce to %q: want an IPv4 address and a port, like 192.168.1.255:6112", to))
		}
	}
	if !o.Bind.Is4() {
		faults = append(faults, fmt.Errorf("lan: cannot bind to %v: want an IPv4 address, or 0.0.0.0 for all", o.Bind))
	}
	if o.Product != w3gs.ProductTFT && o.Product != w3gs.ProductROC {
		faults = append(faults, fmt.Errorf("lan: product %q: want %v or %v", o.Product.String(), w3gs.ProductTFT, w3gs.ProductROC))
	}
	if o.Bind.IsLoopback() {
		o.localOnly()
	}
	return o, errors.Join(faults...)
}

// localOnly restricts announcements to this machine, for a host on a loopback
// address.
func (o *Options) localOnly() {
	away := func(to netip.AddrPort) bool { return !to.Addr().IsLoopback() }
	home := []netip.AddrPort{} // not nil, which would be the default
	for _, to := range o.Broadcast {
		if away(to) {
			to = netip.AddrPortFrom(loopbackBroadcast, to.Port())
		}
		home = append(home, to)
	}
	if o.InterfacePort != 0 {
		home = append(home, netip.AddrPortFrom(loopbackBroadcast, o.InterfacePort))
		o.InterfacePort = 0
	}
	o.Broadcast = unique(home)
	for _, to := range o.Targets {
		if away(to) {
			o.Log.Warn().Stringer("addr", to).Stringer("bind", o.Bind).
				Msg("a LAN target gets no announcements: the host listens on a loopback address, which only this machine can join; set host.listen")
		}
	}
	o.Targets = slices.DeleteFunc(slices.Clone(o.Targets), away)
}

// unique removes duplicates, but not of port 0: each asks the system for another
// free port.
func unique[T comparable](list []T) []T {
	out := list[:0:0]
	for _, v := range list {
		if any(v) == any(uint16(0)) || !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
