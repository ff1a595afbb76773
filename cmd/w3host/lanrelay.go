package main

import (
	"errors"
	"net"
	"net/netip"
	"strings"

	"w3host/config"
	"w3host/lan"
)

// relay is "w3host lan relay".
func (c *lanCall) relay(args []string) int {
	var from string
	o := lan.RelayOptions{Port: lan.DefaultPort}
	c.flags.StringVar(&from, "from", "", "")
	port := c.flags.Int("port", -1, "")
	c.flags.BoolVar(&o.Forward, "forward", false, "")
	if code, ok := c.parse(args); !ok {
		return code
	}
	if from == "" || len(c.to) == 0 {
		return c.wrong(errors.New("it needs --from HOST and --to ADDR"))
	}
	if *port > 65535 {
		return c.wrong(errors.New("--port must be from 0 to 65535"))
	}
	asks, err := c.searches()
	if err == nil && c.version != "" && len(asks) > 1 {
		err = errors.New("a relay shows the games of one --version; run one for each")
	}
	if err == nil {
		o.Ask = asks[0]
		o.From, err = lanTarget(from)
	}
	if err == nil {
		o.To, err = lanTargets(c.to)
	}
	if err != nil {
		return c.wrong(err)
	}
	o.Log = newLogger(config.Log{Level: "info"}, c.stderr)
	here := onThisMachine(o.From.Addr())
	switch {
	case *port >= 0:
		o.Port = uint16(*port)
	case here:
		o.Port = 0 // the host's own port gets what is sent to it
	}
	if !here && !o.Forward {
		o.Log.Warn().Msgf("%v is another machine, and clients join at the address they hear, which is this one: add --forward", o.From.Addr())
	}
	o.Log.Info().Stringer("host", o.From).Strs("to", c.to).Bool("forward", o.Forward).
		Msgf("showing the games of %v to %s", o.From, strings.Join(c.to, ", "))
	if err := lan.Relay(c.ctx, o); err != nil {
		return c.failed(err)
	}
	return exitOK
}

// onThisMachine reports whether an address is one of this machine's.
func onThisMachine(addr netip.Addr) bool {
	if addr.IsLoopback() {
		return true
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range own {
		if ipnet, ok := a.(*net.IPNet); ok && ipnet.IP.Equal(addr.AsSlice()) {
			return true
		}
	}
	return false
}
