package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"w3host/lan"
	"w3host/w3gs"
)

const lanUsage = `w3host lan looks at the games of the local network, and shows them elsewhere.

Usage:
  w3host lan list [--to ADDR]... [--timeout 3s] [--watch] [--json]   which games there are
  w3host lan relay --from HOST --to ADDR...                          show a host's games elsewhere

Flags of list:
  --to ADDR[:PORT]  ask this host or broadcast address, port 6112 if it names none; may be
                    repeated. Without it everybody is asked by broadcast, as clients do, and
                    announcements are listened to
  --timeout TIME    how long to collect answers; with --watch, after how long without a sign of
                    life a game goes (3s)
  --watch           go on until Ctrl-C and show changes in place
  --json            an array of games; with --watch one array a line, for each change. Keys:
                    name host map players slots slots_open version product game_id entry_key
                    address port settings width height checksum uptime_seconds rtt_ms. The last
                    is null for a game that was announced and has not been asked for

Flags of relay:
  --from HOST[:PORT]  the host, where it answers searches; port 6112 if it names none
  --to ADDR[:PORT]    who cannot hear the host: a machine or a broadcast address; may be
                      repeated, and more addresses may follow
  --port N            UDP port where these may ask (and TCP port with --forward). 6112, or any
                      when the host is on this machine; 0 is any
  --forward           also take joins here and pass them on to the host. Clients join at the
                      address they hear: without it the relay has to run on the host's machine

Flags of both:
  --version V         version of the game: 26, 1.26; otherwise host.version of the configuration.
                      list takes several with commas between them, or all
  --product P         W3XP or WAR3; otherwise host.product
  --config FILE       the configuration, as for serve
`

// lanCall is one call of the command.
type lanCall struct {
	ctx            context.Context
	stdout, stderr io.Writer

	flags   *flag.FlagSet
	version string
	product string
	config  string
	to      []string
}

// lanCommand runs "w3host lan".
func lanCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &lanCall{ctx: ctx, stdout: stdout, stderr: stderr}
	if len(args) == 0 || slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		fmt.Fprint(stdout, lanUsage)
		return exitOK
	}
	verbs := map[string]func([]string) int{"list": c.list, "relay": c.relay}
	verb, ok := verbs[args[0]]
	if !ok {
		return c.wrong(fmt.Errorf("there is no %q: it is list or relay", args[0]))
	}
	c.flags = flag.NewFlagSet("w3host lan "+args[0], flag.ContinueOnError)
	c.flags.SetOutput(io.Discard)
	c.flags.StringVar(&c.version, "version", "", "")
	c.flags.StringVar(&c.product, "product", "", "")
	c.flags.StringVar(&c.config, "config", "", "")
	c.flags.Func("to", "", func(addr string) error {
		c.to = append(c.to, addr)
		return nil
	})
	return verb(args[1:])
}

// parse reads flags and addresses in any order. It reports false when the call
// is over, with its exit code.
func (c *lanCall) parse(args []string) (code int, ok bool) {
	for len(args) > 0 {
		err := c.flags.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(c.stdout, lanUsage)
			return exitOK, false
		}
		if err != nil {
			return c.wrong(err), false
		}
		if args = c.flags.Args(); len(args) > 0 {
			c.to, args = append(c.to, args[0]), args[1:]
		}
	}
	return exitOK, true
}

// searches are the games to look for.
func (c *lanCall) searches() ([]w3gs.SearchGame, error) {
	var s w3gs.SearchGame
	settings, faults := readConfig(c.config)
	if c.version == "" || c.product == "" {
		if err := faults.ErrorOrNil(); err != nil {
			return nil, err
		}
	}
	switch c.product {
	case "":
		s.Product = product(settings)
	case w3gs.ProductTFT.String():
		s.Product = w3gs.ProductTFT
	case w3gs.ProductROC.String():
		s.Product = w3gs.ProductROC
	default:
		return nil, fmt.Errorf("--product %q: must be W3XP or WAR3", c.product)
	}
	var versions []int
	for text := range strings.SplitSeq(c.version, ",") {
		switch v, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(text), "1.")); {
		case c.version == "":
			versions = append([]int{settings.Host.Version}, settings.LAN.Versions...)
		case text == "all":
			for v := 7; v <= 31; v++ {
				versions = append(versions, v)
			}
		case err != nil || v < 1:
			return nil, fmt.Errorf("--version %q: must be a version such as 26 or 1.26", text)
		default:
			versions = append(versions, v)
		}
	}
	var out []w3gs.SearchGame
	for _, v := range versions {
		s.Version = uint32(v)
		out = append(out, s)
	}
	return out, nil
}

// lanTarget reads ADDRESS or ADDRESS:PORT, where ADDRESS may be a name.
func lanTarget(text string) (netip.AddrPort, error) {
	where := text
	if _, _, err := net.SplitHostPort(text); err != nil {
		where = net.JoinHostPort(text, strconv.Itoa(lan.DefaultPort))
	}
	addr, err := net.ResolveUDPAddr("udp4", where)
	if err != nil || addr.IP == nil || addr.Port == 0 {
		return netip.AddrPort{}, fmt.Errorf("%q is no IPv4 address or name of a machine, with :PORT if it is not %d", text, lan.DefaultPort)
	}
	ap := addr.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()), nil
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

func (c *lanCall) wrong(err error) int {
	text := strings.Replace(err.Error(), "flag provided but not defined: ", "there is no flag ", 1)
	fmt.Fprintf(c.stderr, "w3host lan: %s (see w3host lan --help)\n", text)
	return exitUsage
}

func (c *lanCall) failed(err error) int {
	fmt.Fprintf(c.stderr, "w3host lan: %v\n", err)
	return exitFailed
}
