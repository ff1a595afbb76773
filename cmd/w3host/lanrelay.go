package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"w3host/config"
	"w3host/daemon/logging"
	"w3host/lan"
	"w3host/protocol/w3gs"
)

func lanRelayCommand() *cobra.Command {
	c := &lanCall{}
	cmd := &cobra.Command{
		Use: "relay --from HOST --to ADDR [ADDR...]", Short: "announce a host's games to other machines or networks",
		Long: "w3host lan relay announces a host's games to machines that its broadcasts do not reach.",
	}
	o := lan.RelayOptions{Port: lan.DefaultPort}
	fs := cmd.Flags()
	from := fs.String("from", "", "`HOST[:PORT]` that answers searches; port 6112 by default")
	port := fs.Int("port", -1, "UDP port for searches (and TCP port with --forward): 6112, or any free port if the host is on this machine; 0 means any")
	fs.Lookup("port").DefValue = "0" // the usage text names the default
	fs.BoolVar(&o.Forward, "forward", false, "also accept joins here and forward them to the host. Clients join the address that announces a game: "+
		"without this flag the relay must run on the host's machine")
	return c.runs(cmd, "machine or broadcast `ADDRESS[:PORT]` that gets the announcements; may be repeated", func() error {
		if fs.Changed("port") && (*port < 0 || *port > 65535) {
			return usageError{errors.New("--port must be from 0 to 65535")}
		}
		return c.relay(o, *from, *port)
	})
}

func (c *lanCall) relay(o lan.RelayOptions, from string, port int) error {
	if from == "" {
		return usageError{errors.New("--from HOST is missing")}
	}
	asks, err := c.searches()
	if err == nil && c.version != "" && len(asks) > 1 {
		err = errors.New("a relay supports one --version; run one relay for each")
	}
	if err == nil {
		o.Ask = asks[0]
		switch v := w3gs.Version(o.Ask.Version); {
		case v.UsesMDNS() && len(c.to) > 0:
			err = fmt.Errorf("clients of %v ignore announcements sent to a single address; leave --to out and run the relay in their network", v)
		case v.Discovery() == w3gs.DiscoveryBroadcast && len(c.to) == 0:
			err = errors.New("--to ADDR is missing")
		}
	}
	if err == nil {
		o.From, err = lanTarget(from)
	}
	if err == nil {
		o.To, err = lanTargets(c.to)
	}
	if err != nil {
		return usageError{err}
	}
	o.Log = logging.New(config.Log{Level: "info"}, c.stderr)
	here := onThisMachine(o.From.Addr())
	switch {
	case port >= 0:
		o.Port = uint16(port)
	case here:
		o.Port = 0 // the host itself uses port 6112
	}
	if !here && !o.Forward {
		o.Log.Warn().Msgf("%v is another machine, but clients join the machine that answers their search, which is this one; add --forward", o.From.Addr())
	}
	where := cmp.Or(strings.Join(c.to, ", "), "this network")
	o.Log.Info().Stringer("host", o.From).Strs("to", c.to).Bool("forward", o.Forward).Msgf("announcing the games of %v to %s", o.From, where)
	return lan.Relay(c.ctx, o)
}

// onThisMachine reports whether addr belongs to a network interface of this machine.
func onThisMachine(addr netip.Addr) bool {
	own, _ := net.InterfaceAddrs() // if the system does not say, treat it as another machine
	return addr.IsLoopback() || slices.ContainsFunc(own, func(a net.Addr) bool {
		network, ok := a.(*net.IPNet)
		return ok && network.IP.Equal(addr.AsSlice())
	})
}
