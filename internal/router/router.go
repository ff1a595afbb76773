// Package router opens TCP ports on a home router with UPnP (Internet Gateway Device 1 and 2), so that
// players on the Internet can reach a host behind it. Package daemon uses it if host.upnp is set.
package router

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/huin/goupnp/dcps/internetgateway2"
	"github.com/huin/goupnp/soap"
	"github.com/rs/zerolog"
)

const (
	// lease is the lifetime of a port mapping, which ends by itself after a crash. Mappings are renewed every
	// renew.
	lease = time.Hour
	renew = 25 * time.Minute
	// patience limits the search for routers and each request; farewell limits the removal of the mappings.
	patience = 10 * time.Second
	farewell = 3 * time.Second
	// permanentOnly is the error code of routers that only support mappings without a lifetime.
	permanentOnly = 725
)

var errNone = errors.New("no router answers to UPnP: it is not supported or disabled on the router")

// gateway is a router's connection to the Internet.
type gateway interface {
	AddPortMappingCtx(ctx context.Context, remote string, outside uint16, protocol string, inside uint16, client string, enabled bool, what string, seconds uint32) error
	DeletePortMappingCtx(ctx context.Context, remote string, outside uint16, protocol string) error
	GetExternalIPAddressCtx(ctx context.Context) (string, error)
	LocalAddr() net.IP
}

// Open maps ports, given as outside port to local port, until ctx ends. Then it removes the mappings, which
// takes a few seconds at most, unless keep returns true because another process needs them, and returns. It
// logs the results.
func Open(ctx context.Context, ports map[uint16]uint16, keep func() bool, log zerolog.Logger) {
	var g, asked gateway // asked is the last router on which mappings may exist
	said := ""
	for {
		var outside string
		var told bool
		var err error
		if g == nil {
			g, err = find(ctx)
		}
		if err == nil {
			asked = g
			if err = open(ctx, g, ports); err == nil {
				outside, told = address(ctx, g)
			}
		}
		switch now := fmt.Sprint(outside, told, err); {
		case ctx.Err() != nil || now == said:
		case err != nil:
			log.Warn().Err(err).Msg("the router does not forward the port: forward it manually, or set host.upnp to false")
			said = now
		default:
			say(log, outside, told, ports)
			said = now
		}
		if err != nil {
			g = nil // search again, in case the router was replaced
		}
		select {
		case <-ctx.Done():
			if asked != nil && !keep() {
				closeAll(asked, ports)
			}
			return
		case <-time.After(renew):
		}
	}
}

func say(log zerolog.Logger, outside string, told bool, ports map[uint16]uint16) {
	line := log.Info()
	ip, err := netip.ParseAddr(outside)
	what := "the router forwards the port"
	switch {
	case !told:
		what = "the router forwards the port but does not report its public address"
	case err != nil || ip.IsPrivate() || ip.IsUnspecified() || sharedSpace.Contains(ip):
		line, what = log.Warn(), "the router forwards the port but has no public address itself: players on the Internet cannot reach it"
	}
	line.Str("outside", outside).Uints16("ports", slices.Sorted(maps.Keys(ports))).Msg(what)
}

// sharedSpace is the address range of providers that use carrier-grade NAT (RFC 6598).
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// find searches the networks of this machine for a router.
func find(ctx context.Context) (gateway, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	var kinds [3]gateway // best kind first
	var searches sync.WaitGroup
	searches.Go(func() { kinds[0] = first(ctx, internetgateway2.NewWANIPConnection2ClientsCtx) })
	searches.Go(func() { kinds[1] = first(ctx, internetgateway2.NewWANIPConnection1ClientsCtx) })
	searches.Go(func() { kinds[2] = first(ctx, internetgateway2.NewWANPPPConnection1ClientsCtx) })
	searches.Wait()
	if g := cmp.Or(kinds[:]...); g != nil {
		return g, nil
	}
	return nil, errNone
}

// first returns the first gateway of a kind that answers, or nil.
func first[G gateway](ctx context.Context, search func(context.Context) ([]G, []error, error)) gateway {
	if list, _, err := search(ctx); err == nil && len(list) > 0 {
		return list[0]
	}
	return nil
}

// open requests the mapping of each port.
func open(ctx context.Context, g gateway, ports map[uint16]uint16) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	for _, port := range slices.Sorted(maps.Keys(ports)) {
		add := func(seconds uint32) error {
			return g.AddPortMappingCtx(ctx, "", port, "TCP", ports[port], g.LocalAddr().String(), true, "w3host", seconds)
		}
		err := add(uint32(lease / time.Second))
		var fault *soap.SOAPFaultError
		if errors.As(err, &fault) && fault.Detail.UPnPError.Errorcode == permanentOnly {
			err = add(0)
		}
		if errors.As(err, &fault) {
			return fmt.Errorf("port %d: the router says %d %s", port, fault.Detail.UPnPError.Errorcode, fault.Detail.UPnPError.ErrorDescription)
		}
		if err != nil {
			return fmt.Errorf("port %d: %w", port, err)
		}
	}
	return nil
}

// address returns the router's public address; false means that the router does not report it.
func address(ctx context.Context, g gateway) (string, bool) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	outside, err := g.GetExternalIPAddressCtx(ctx)
	return outside, err == nil
}

// closeAll removes the port mappings.
func closeAll(g gateway, ports map[uint16]uint16) {
	ctx, stop := context.WithTimeout(context.Background(), farewell)
	defer stop()
	for port := range ports {
		_ = g.DeletePortMappingCtx(ctx, "", port, "TCP") // if this fails, the mapping ends with its lifetime
	}
}
