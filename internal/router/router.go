// Package router has a home router pass TCP ports on to this machine, by UPnP
// (Internet Gateway Device 1 and 2).
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
	// lease is how long the router keeps a port without being asked again, so that it
	// closes also after a crash. It is asked every renew.
	lease = time.Hour
	renew = 25 * time.Minute
	// patience bounds the search for routers and each question to one; farewell the removal.
	patience = 10 * time.Second
	farewell = 3 * time.Second
	// permanentOnly is the error of routers that know no leases.
	permanentOnly = 725
)

var errNone = errors.New("no router answers by UPnP: it has none, or it is switched off there")

// gateway is a connection of a router to the world.
type gateway interface {
	AddPortMappingCtx(ctx context.Context, remote string, outside uint16, protocol string, inside uint16, client string, enabled bool, what string, seconds uint32) error
	DeletePortMappingCtx(ctx context.Context, remote string, outside uint16, protocol string) error
	GetExternalIPAddressCtx(ctx context.Context) (string, error)
	LocalAddr() net.IP
}

// Open keeps ports open, from the one outside to the one here, until ctx ends. Then it closes
// them, which takes a few seconds at most, unless keep says that another process needs them,
// and returns. The results are in the log.
func Open(ctx context.Context, ports map[uint16]uint16, keep func() bool, log zerolog.Logger) {
	var g, asked gateway // asked may pass ports on, whatever has become of it since
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
			log.Warn().Err(err).Msg("the router does not pass the port on: forward it by hand, or set host.upnp to false")
			said = now
		default:
			say(log, outside, told, ports)
			said = now
		}
		if err != nil {
			g = nil // it may be another one by then
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
	what := "the router passes the port on"
	switch {
	case !told:
		what = "the router passes the port on, but does not tell its address outside"
	case err != nil || ip.IsPrivate() || ip.IsUnspecified() || sharedSpace.Contains(ip):
		line, what = log.Warn(), "the router passes the port on, but has no public address itself: players elsewhere do not reach it"
	}
	line.Str("outside", outside).Uints16("ports", slices.Sorted(maps.Keys(ports))).Msg(what)
}

// sharedSpace is the network of providers that translate addresses (RFC 6598).
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// find searches the networks of this machine for a router.
func find(ctx context.Context) (gateway, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	var kinds [3]gateway // the best first
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

// first is the first gateway of a kind that answers; nil: none does.
func first[G gateway](ctx context.Context, search func(context.Context) ([]G, []error, error)) gateway {
	if list, _, err := search(ctx); err == nil && len(list) > 0 {
		return list[0]
	}
	return nil
}

// open asks for each port.
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

// address asks for the router's address outside; false: it does not tell.
func address(ctx context.Context, g gateway) (string, bool) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	outside, err := g.GetExternalIPAddressCtx(ctx)
	return outside, err == nil
}

// closeAll asks the router to pass nothing on any more.
func closeAll(g gateway, ports map[uint16]uint16) {
	ctx, stop := context.WithTimeout(context.Background(), farewell)
	defer stop()
	for port := range ports {
		_ = g.DeletePortMappingCtx(ctx, "", port, "TCP") // else it ends with the lease
	}
}
