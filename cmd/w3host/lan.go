package main

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"w3host/daemon"
	"w3host/lan"
	"w3host/protocol/w3gs"
)

// lanCall holds the flags shared by `w3host lan list` and `w3host lan relay`.
type lanCall struct {
	call

	version string
	product string
	config  string
	to      []string
}

func lanCommand() *cobra.Command {
	return group(&cobra.Command{
		Use: "lan", Short: "list, relay, play or watch games in the LAN list of Warcraft III",
		Long: "w3host lan works with the list of local games that Warcraft III shows its players.",
	}, lanListCommand(), lanRelayCommand(), lanPlayCommand(), lanWatchCommand())
}

// addTo adds the flags that describe the clients whose games are searched for.
func (c *lanCall) addTo(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&c.version, "version", "", "`VERSION` of the game, such as 1.26; list accepts several separated by commas, or all")
	sets(fs, "version", "host.version")
	fs.StringVar(&c.product, "product", "", "W3XP or WAR3")
	sets(fs, "product", "host.product")
	configFlag(fs, &c.config)
	_ = cmd.RegisterFlagCompletionFunc("product", cobra.FixedCompletions([]string{"W3XP", "WAR3"}, cobra.ShellCompDirectiveNoFileComp))
}

// runs is call.runs with a --to flag; the arguments of the command are further values of --to.
func (c *lanCall) runs(cmd *cobra.Command, to string, do func() error) *cobra.Command {
	cmd.Flags().StringArrayVar(&c.to, "to", nil, to)
	c.addTo(cmd)
	return c.call.runs(cmd, func() error {
		c.to = append(c.to, c.names...)
		return nil
	}, do)
}

// searches returns the search packets for the versions and products of the flags.
func (c *lanCall) searches() ([]w3gs.SearchGame, error) {
	var s w3gs.SearchGame
	set, err := settings(c.config)
	if err != nil && (c.version == "" || c.product == "") {
		return nil, err
	}
	set.Host.Product = cmp.Or(c.product, set.Host.Product)
	if s.Product = daemon.Product(set); c.product != "" && c.product != s.Product.String() {
		return nil, fmt.Errorf("--product %q: must be W3XP or WAR3", c.product)
	}
	var versions []w3gs.Version
	for text := range strings.SplitSeq(c.version, ",") {
		switch v, err := w3gs.ParseVersion(text); {
		case c.version == "":
			versions = set.Versions()
		case text == "all":
			versions = append(versions, w3gs.Versions()...)
		case err != nil:
			return nil, fmt.Errorf("--version: %w", err)
		default:
			versions = append(versions, v)
		}
	}
	return mapped(versions, func(v w3gs.Version) w3gs.SearchGame {
		s.Version = uint32(v)
		return s
	}), nil
}

// lanTarget parses ADDRESS or ADDRESS:PORT, where ADDRESS may be a host name. It resolves names by DNS.
func lanTarget(text string) (netip.AddrPort, error) {
	addr, err := net.ResolveUDPAddr("udp4", withPort(text))
	if err != nil || addr.IP == nil || addr.Port == 0 {
		return netip.AddrPort{}, fmt.Errorf("%q is not an IPv4 address or host name, with :PORT if it is not %d", text, lan.DefaultPort)
	}
	ap := addr.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()), nil
}

// withPort appends the default port if host has none.
func withPort(host string) string {
	if _, _, err := net.SplitHostPort(host); err != nil {
		return net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(lan.DefaultPort))
	}
	return host
}

func lanTargets(texts []string) (out []netip.AddrPort, err error) {
	for _, text := range texts {
		addr, err := lanTarget(text)
		if err != nil {
			return nil, err
		}
		out = append(out, addr)
	}
	return out, nil
}
