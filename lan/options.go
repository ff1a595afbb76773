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

// DefaultPort is the UDP port on which clients up to 1.29 search and listen.
const DefaultPort = 6112

const (
	// defaultInterval is the interval of regular announcements; clients drop a lobby after several missing ones.
	defaultInterval = 5 * time.Second
	// defaultRetry is the pause before retrying a port that could not be opened.
	defaultRetry = 5 * time.Second
)

var (
	limitedBroadcast  = netip.AddrFrom4([4]byte{255, 255, 255, 255})
	loopbackBroadcast = netip.AddrFrom4([4]byte{127, 255, 255, 255})
)

// Options configure where lobbies are announced and on which ports searches are answered.
type Options struct {
	// Broadcast lists the addresses of every announcement. Nil means 255.255.255.255:6112; an empty slice means no
	// broadcast. A machine with several networks sends the limited broadcast only to one of them; without a route for
	// it, the broadcast address of each interface is used instead.
	Broadcast []netip.AddrPort
	// InterfacePort, if not zero, is the port of an additional broadcast to the current network of each interface.
	InterfacePort uint16
	// Targets lists additional addresses, out of reach of broadcasts, that get the same datagrams.
	Targets []netip.AddrPort
	// PushInfo sends the targets a 0x30 with every 0x32.
	PushInfo bool
	// Ports lists the UDP ports on which searches are answered. Nil means 6112.
	Ports []uint16
	// GamePort is the TCP port for joins, which is part of every 0x30. Searches are answered on this UDP port too, so
	// that the host can be queried by its join address.
	GamePort uint16
	// Bind is the local IPv4 address of announcements and answers. The zero value means all addresses; answers then come
	// from the queried one. A loopback address announces only to this machine.
	Bind netip.Addr
	// IPv6 announces to clients of 1.30 to 2.0 that the host accepts joins by IPv6 as well.
	IPv6 bool
	// Product and Version are the game that clients must run; searches for others get no answer.
	Product w3gs.Product
	Version uint32 // 26 is 1.26
	// Versions lists additional versions whose clients can join the same lobbies. Each search is answered with the
	// version of its client. withDefaults puts Version first.
	Versions []uint32
	// BroadcastInfo sends 0x30 with every 0x32, for clients behind relays that forward only in one direction.
	BroadcastInfo bool
	// Heart beats at least every 1.2 seconds while a lobby is open. Regular announcements then go out at the beat
	// closest to their time; without a Heart, at that time.
	Heart *heartbeat.Heart
	Log   zerolog.Logger

	interval, retry, pause time.Duration // for tests; zero means defaultInterval, defaultRetry, answerPause
	localPort              uint16        // for tests; zero means LocalPort
}

// withDefaults sets the defaults and returns all errors.
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
			faults = append(faults, fmt.Errorf("lan: cannot announce to %q: must be an IPv4 address and a port, such as 192.168.1.255:6112", to))
		}
	}
	if !o.Bind.Is4() {
		faults = append(faults, fmt.Errorf("lan: cannot bind to %v: must be an IPv4 address, or 0.0.0.0 for all", o.Bind))
	}
	if o.Product != w3gs.ProductTFT && o.Product != w3gs.ProductROC {
		faults = append(faults, fmt.Errorf("lan: product %q: must be %v or %v", o.Product.String(), w3gs.ProductTFT, w3gs.ProductROC))
	}
	if o.Bind.IsLoopback() {
		o.localOnly()
	}
	return o, errors.Join(faults...)
}

// localOnly restricts announcements to this machine, for a host on a loopback address.
func (o *Options) localOnly() {
	away := func(to netip.AddrPort) bool { return !to.Addr().IsLoopback() }
	home := []netip.AddrPort{} // not nil, which would mean the default
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

// unique removes duplicates except zeros: each port 0 requests a separate free port.
func unique[T comparable](list []T) []T {
	out := list[:0:0]
	for _, v := range list {
		if any(v) == any(uint16(0)) || !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
