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

func (c *lanCall) relayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "relay --from HOST --to ADDR [ADDR...]", Short: "show a host's games elsewhere",
		Long: "w3host lan relay shows a host's games to machines that cannot hear the host.",
	}
	o := lan.RelayOptions{Port: lan.DefaultPort}
	fs := cmd.Flags()
	from := fs.String("from", "", "the `HOST[:PORT]`, where it answers searches; port 6112 if it names none")
	port := fs.Int("port", -1, "UDP port where these may ask (and TCP port with --forward): 6112, or any when the host is on this machine; 0 is any")
	fs.Lookup("port").DefValue = "0" // so that the help shows no default: the text names it
	fs.BoolVar(&o.Forward, "forward", false, "also take joins here and pass them on to the host. Clients join at the address they hear: "+
		"without it the relay has to run on the host's machine")
	return c.runs(cmd, "who cannot hear the host: machine or broadcast `ADDRESS[:PORT]`, may be repeated", func() error {
		if fs.Changed("port") && (*port < 0 || *port > 65535) {
			return usageError{errors.New("--port must be from 0 to 65535")}
		}
		return c.relay(o, *from, *port)
	})
}

func (c *lanCall) relay(o lan.RelayOptions, from string, port int) error {
	if from == "" {
		return usageError{errors.New("it needs --from HOST")}
	}
	asks, err := c.searches()
	if err == nil && c.version != "" && len(asks) > 1 {
		err = errors.New("a relay shows the games of one --version; run one for each")
	}
	if err == nil {
		o.Ask = asks[0]
		switch v := w3gs.Version(o.Ask.Version); {
		case v.UsesMDNS() && len(c.to) > 0:
			err = fmt.Errorf("clients of %v take no announcements that are sent to an address: leave --to out, and run the relay in their network", v)
		case v.Discovery() == w3gs.DiscoveryBroadcast && len(c.to) == 0:
			err = errors.New("it needs --from HOST and --to ADDR")
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
		o.Port = 0 // the host has port 6112 for itself
	}
	if !here && !o.Forward {
		o.Log.Warn().Msgf("%v is another machine, and clients join at the address that answers them, which is this machine: add --forward", o.From.Addr())
	}
	where := cmp.Or(strings.Join(c.to, ", "), "this network")
	o.Log.Info().Stringer("host", o.From).Strs("to", c.to).Bool("forward", o.Forward).Msgf("showing the games of %v to %s", o.From, where)
	return lan.Relay(c.ctx, o)
}

// onThisMachine reports whether this machine has an address.
func onThisMachine(addr netip.Addr) bool {
	own, _ := net.InterfaceAddrs() // where the system does not tell, it is another machine
	return addr.IsLoopback() || slices.ContainsFunc(own, func(a net.Addr) bool {
		network, ok := a.(*net.IPNet)
		return ok && network.IP.Equal(addr.AsSlice())
	})
}
