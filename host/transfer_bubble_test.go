package host_test

import (
	"net/netip"
	"testing"
	"testing/synctest"

	"w3host/host"
	"w3host/host/loop"
	"w3host/internal/simnet"
)

// bubble runs a subtest in virtual time, on a network in memory.
func bubble(t *testing.T, name string, f func(t *testing.T, n *simnet.Net)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			n := simnet.New(1)
			t.Cleanup(n.Close)
			f(t, n)
		})
	})
}

// inMemory has a rig's host listen on a network in memory.
func inMemory(n *simnet.Net, change func(*host.Options)) func(*host.Options) {
	return func(o *host.Options) {
		l, err := n.Listen(netip.MustParseAddrPort("10.0.0.1:6112"))
		if err != nil {
			panic(err)
		}
		o.Network, o.Listeners.Main = loop.NewMemory(n), l
		if change != nil {
			change(o)
		}
	}
}
