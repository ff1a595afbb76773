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
	"w3host/past"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

const watchHelp = `w3host watch shows games to ordinary clients of their version: recorded ones, which are
named, and those that a host is playing, whose folder of replays is named. Each game is
in the LAN list; who joins it sees it from one seat, from its first turn on, as fast as
they like: they say !speed 4, !speed max or !where. The seat is that of somebody who
never acted, such as a fake player: a client ignores actions of its own that it did not
send, and would compute another game in any other seat.

The map must be there: in maps.dir under its name, or named by --map. It runs beside a
host as a process of its own, so that no player notices who watches.`

// lookAgain is how often a folder is looked at.
const lookAgain = 2 * time.Second

// shutdownWithin is how long clients may take to close when the command ends.
const shutdownWithin = 2 * time.Second

// watchCall is one call of the command.
type watchCall struct {
	call

	listen, mapFile, seat, speed string

	opts    watch.Options
	addr    netip.AddrPort // of listen
	version w3gs.Version
	delay   time.Duration
	acting  bool
	debug   bool

	server     *watch.Server
	advertiser *lan.Advertiser
	port       uint16
	last       atomic.Uint32 // game id
}

func watchCommand() *cobra.Command {
	c := &watchCall{}
	cmd := &cobra.Command{
		Use: "watch FILE|FOLDER...", Short: "show recorded and running games to the clients of the local network", Long: watchHelp,
		ValidArgsFunction: completeFiles("w3g", "part"),
	}
	fs := cmd.Flags()
	fs.StringVar(&c.listen, "listen", "0.0.0.0:6113", "TCP `ADDRESS:PORT` for all who watch")
	fs.DurationVar(&c.delay, "delay", 2*time.Minute, "how far behind a running game is shown, 1m0s or more: viewers could help players")
	fs.StringVar(&c.seat, "seat", "", "`NAME` of the player from whose seat it is seen, who never acted; otherwise the one who stays longest")
	fs.BoolVar(&c.acting, "acting", false, "let --seat be that of a player who acts: an experiment, see docs/watching.md")
	fs.StringVar(&c.speed, "speed", "1", "`SPEED` at the beginning: 1 to 64, or max")
	fs.IntVar(&c.opts.Most, "most", 100, "how many may watch at once")
	fs.StringVar(&c.mapFile, "map", "", "map `FILE`, if it is not in maps.dir")
	fs.TextVar(&c.version, "version", w3gs.DefaultVersion, "`VERSION` of the clients, and so of the games, that are shown")
	fs.TextVar(&c.opts.Past.Language, "language", texts.English, "`LANGUAGE` that viewers read: "+texts.Tags())
	fs.BoolVar(&c.debug, "debug", false, "also log what concerns the network")
	return c.runs(cmd, c.check, c.run)
}

// check finds faults of the flags.
func (c *watchCall) check() (err error) {
	if len(c.names) == 0 {
		return errors.New("it needs the name of a replay, or of a host's folder of replays")
	}
	if c.opts.Past.Speed, err = past.ParseSpeed(c.speed); err != nil {
		return fmt.Errorf("--speed %s: %w", c.speed, err)
	}
	if c.addr, err = netip.ParseAddrPort(c.listen); err != nil || !c.addr.Addr().Is4() {
		return fmt.Errorf("--listen %s: want an IPv4 address and a port, like 0.0.0.0:6113", c.listen)
	}
	switch {
	case c.acting && c.seat == "":
		return errors.New("--acting needs --seat NAME")
	case c.opts.Most < 1:
		return errors.New("--most must be 1 or more")
	case c.delay < time.Minute:
		return errors.New("--delay must be 1m0s or more: the record comes in pieces, and a client that gets no turn for a minute ends its game")
	case c.version.Reforged():
		return fmt.Errorf("--version: games of %v cannot be watched: those of %v to 1.31 can", c.version, w3gs.FirstVersion)
	}
	return nil
}

func (c *watchCall) run() (err error) {
	o := &c.opts
	o.Log = logging.New(config.Log{Level: either(c.debug, "debug", "info")}, c.stderr)
	if o.Listener, err = net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(c.addr)); err != nil {
		return fmt.Errorf("cannot listen: %w; choose another --listen", err)
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

// open has a game listed.
func (c *watchCall) open(g *recorded) error {
	g.ad.GameID, g.ad.EntryKey, g.ad.Port = g.show.Number, g.show.Key, c.port
	c.server.Add(&g.show) // first: a client that reads the list may join at once
	if err := c.advertiser.Open(g.ad); err != nil {
		c.server.Remove(&g.show)
		return err
	}
	c.opts.Log.Info().Str("game", g.ad.Name).Str("file", w3map.Shown(filepath.Base(g.show.File))).Str("seat", g.seat).
		Msg("a game can be watched: join it in the LAN list")
	return nil
}

// follow shows the games that a host records in a folder.
func (c *watchCall) follow(f *folder) {
	c.opts.Log.Info().Str("folder", terminal.Printable(f.dir)).Stringer("delay", c.delay).Stringer("version", c.version).
		Msg("the games that are recorded here can be watched, each a little after its start")
	for {
		opened, closed := f.scan(time.Now())
		for _, name := range opened {
			g, err := c.read(name)
			switch {
			case errors.Is(err, watch.ErrEarly):
				delete(f.games, name) // the next scan finds it again
				continue
			case err == nil:
				err = c.open(g)
			}
			if err != nil {
				c.opts.Log.Warn().Err(err).Str("file", w3map.Shown(filepath.Base(name))).Msg("a game cannot be watched")
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
