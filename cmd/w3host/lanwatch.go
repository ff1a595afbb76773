package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"w3host/config"
	"w3host/daemon/logging"
	"w3host/formats/w3map"
	"w3host/host/watch"
	"w3host/internal/terminal"
	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/spectate"
	"w3host/texts"
)

const lanWatchHelp = `w3host lan watch lets ordinary clients of the same version watch games: recorded games, given
as files, and games that a host is playing, given as its folder of replays. Each game appears
in the LAN list; a viewer who joins sees it from one seat, from its first turn on, at any speed,
with the chat commands !speed 4, !speed max and !where. The seat must be that of a player who
never acted, such as a fake player: a client ignores its own actions unless it sent them, so
it would compute another game in any other seat.

The map must be in maps.dir under its name, or be given by --map. This command runs as a
process of its own beside a host, so that viewers never affect the players.`

// lookAgain is the interval between scans of a folder.
const lookAgain = 2 * time.Second

// shutdownWithin is how long clients get to disconnect when the command ends.
const shutdownWithin = 2 * time.Second

// watchCall holds the flags and the servers of `w3host lan watch`.
type watchCall struct {
	call

	listen, mapFile, seat, speed string

	opts    watch.Options
	addr    netip.AddrPort // parsed from listen
	version w3gs.Version
	delay   time.Duration
	acting  bool
	debug   bool

	server     *watch.Server
	advertiser *lan.Advertiser
	port       uint16
	last       atomic.Uint32 // last game id used
}

func lanWatchCommand() *cobra.Command {
	c := &watchCall{}
	cmd := &cobra.Command{
		Use: "watch FILE|FOLDER...", Short: "let clients on the local network watch recorded and running games", Long: lanWatchHelp,
		ValidArgsFunction: completeFiles("w3g", "part"),
	}
	fs := cmd.Flags()
	fs.StringVar(&c.listen, "listen", "0.0.0.0:6113", "TCP `ADDRESS:PORT` for the viewers")
	fs.DurationVar(&c.delay, "delay", 2*time.Minute, "delay of a running game, 1m0s or more, so that viewers cannot help players")
	fs.StringVar(&c.seat, "seat", "", "`NAME` of the player whose seat viewers get, who must never have acted; otherwise the one who stays longest")
	fs.BoolVar(&c.acting, "acting", false, "allow a --seat of a player who acts: an experiment, see docs/watching.md")
	fs.StringVar(&c.speed, "speed", "1", "initial `SPEED`: 1 to 64, or max")
	fs.IntVar(&c.opts.Most, "viewers", 100, "at most `N` viewers")
	fs.StringVar(&c.mapFile, "map", "", "map `FILE`, if it is not in maps.dir")
	fs.TextVar(&c.version, "version", w3gs.DefaultVersion, "game `VERSION` of the clients and recordings")
	fs.TextVar(&c.opts.Past.Language, "language", texts.English, "`LANGUAGE` of messages to viewers: "+texts.Tags())
	fs.BoolVar(&c.debug, "debug", false, "also log network events")
	return c.runs(cmd, c.check, c.run)
}

// check validates the flags.
func (c *watchCall) check() (err error) {
	if len(c.names) == 0 {
		return errors.New("name a replay, or a host's folder of replays")
	}
	if c.opts.Past.Speed, err = spectate.ParseSpeed(c.speed); err != nil {
		return fmt.Errorf("--speed %s: %w", c.speed, err)
	}
	if c.addr, err = netip.ParseAddrPort(c.listen); err != nil || !c.addr.Addr().Is4() {
		return fmt.Errorf("--listen %s: must be an IPv4 address and a port, such as 0.0.0.0:6113", c.listen)
	}
	switch {
	case c.acting && c.seat == "":
		return errors.New("--acting needs --seat NAME")
	case c.opts.Most < 1:
		return errors.New("--viewers must be at least 1")
	case c.delay < time.Minute:
		return errors.New("--delay must be 1m0s or more, because the recording is written in pieces and a client that gets no turn for a minute ends its game")
	}
	return nil
}

func (c *watchCall) run() (err error) {
	o := &c.opts
	o.Log = logging.New(config.Log{Level: either(c.debug, "debug", "info")}, c.stderr)
	if o.Listener, err = net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(c.addr)); err != nil {
		return fmt.Errorf("cannot listen: %w; choose another --listen address", err)
	}
	defer o.Listener.Close()
	if c.server, err = watch.New(*o); err != nil {
		return err
	}
	c.port = uint16(o.Listener.Addr().(*net.TCPAddr).Port)
	c.advertiser, err = lan.Listen(lan.Options{
		Ports: []uint16{lan.DefaultPort}, GamePort: c.port, Bind: c.addr.Addr(), Product: w3gs.ProductTFT,
		Version: uint32(c.version), BroadcastInfo: true, Log: c.opts.Log.With().Str("part", "lan").Logger(),
	})
	if err != nil {
		return err
	}
	defer c.advertiser.Shutdown()
	for _, name := range c.names {
		if stat, err := os.Stat(name); err == nil && stat.IsDir() {
			go c.follow(&folder{name, map[string]*recorded{}}) // ends with the command
			continue
		}
		g, err := c.read(name)
		if err == nil {
			err = c.open(g)
		}
		if err != nil {
			return failed(name, plainError(err))
		}
	}
	context.AfterFunc(c.ctx, func() { c.server.Shutdown(shutdownWithin) })
	c.server.Run()
	return nil
}

// open adds a game to the server and announces it in the LAN list.
func (c *watchCall) open(g *recorded) error {
	g.ad.GameID, g.ad.EntryKey, g.ad.Port = g.show.Number, g.show.Key, c.port
	c.server.Add(&g.show) // before the announcement: a client that sees the list may join at once
	if err := c.advertiser.Open(g.ad); err != nil {
		c.server.Remove(&g.show)
		return err
	}
	c.opts.Log.Info().Str("game", g.ad.Name).Str("file", w3map.Shown(filepath.Base(g.show.File))).Str("seat", g.seat).
		Msg("game available for viewers in the LAN list")
	return nil
}

// follow scans a folder of replays and shows the running games recorded in it, until the command ends.
func (c *watchCall) follow(f *folder) {
	c.opts.Log.Info().Str("folder", terminal.Printable(f.dir)).Stringer("delay", c.delay).Stringer("version", c.version).
		Msg("waiting for games recorded in this folder; viewers can join shortly after each start")
	for {
		opened, closed := f.scan(time.Now())
		for _, name := range opened {
			g, err := c.read(name)
			switch {
			case errors.Is(err, watch.ErrEarly):
				delete(f.games, name) // retried in the next scan
				continue
			case err == nil:
				err = c.open(g)
			}
			if err != nil {
				c.opts.Log.Warn().Err(err).Str("file", w3map.Shown(filepath.Base(name))).Msg("game cannot be watched")
				continue
			}
			f.games[name] = g
		}
		for _, g := range closed {
			c.server.Remove(&g.show)
			c.advertiser.Close(g.ad.GameID)
		}
		select {
		case <-c.ctx.Done():
			return
		case <-time.After(lookAgain):
		}
	}
}
