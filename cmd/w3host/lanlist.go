package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"w3host/formats/w3map"
	"w3host/internal/terminal"
	"w3host/lan"
	"w3host/protocol/w3gs"
)

// lanGame is one game in the JSON of `w3host lan list`.
type lanGame struct {
	Name          string   `json:"name"`
	Host          string   `json:"host"`
	Map           string   `json:"map"` // path as sent to clients
	Players       int      `json:"players"`
	Slots         uint32   `json:"slots"`
	SlotsOpen     uint32   `json:"slots_open"` // the field as sent, whatever it counts
	Version       uint32   `json:"version"`
	Product       string   `json:"product"`
	GameID        uint32   `json:"game_id"`
	EntryKey      uint32   `json:"entry_key"`
	Address       string   `json:"address"`
	Port          uint16   `json:"port"`     // TCP
	Settings      uint32   `json:"settings"` // flags, see w3gs.GameSettings
	Width         uint16   `json:"width"`
	Height        uint16   `json:"height"`
	Checksum      uint32   `json:"checksum"`
	UptimeSeconds uint32   `json:"uptime_seconds"`
	RTTMillis     *float64 `json:"rtt_ms"`
}

func lanGames(found []lan.Found) []lanGame {
	return mapped(found, func(f lan.Found) lanGame {
		g := lanGame{
			Name: f.Info.Name, Host: f.Info.Stat.HostName, Map: f.Info.Stat.MapPath,
			Players: f.Players(), Slots: f.Info.Slots, SlotsOpen: f.Info.SlotsOpen,
			Version: f.Info.Version, Product: f.Info.Product.String(),
			GameID: f.Info.GameID, EntryKey: f.Info.EntryKey,
			Address: f.From.Addr().String(), Port: f.Info.Port,
			Settings: uint32(f.Info.Stat.Settings), Width: f.Info.Stat.Width, Height: f.Info.Stat.Height,
			Checksum: f.Info.Stat.Checksum, UptimeSeconds: f.Info.UptimeSeconds,
		}
		if f.RTT > 0 {
			g.RTTMillis = new(float64(f.RTT.Microseconds()) / 1000)
		}
		return g
	})
}

// lanScreen prints the list of games, and redraws it in place on a terminal.
type lanScreen struct {
	w      io.Writer
	json   bool
	live   bool // on a terminal: redraw over the previous list
	height int  // lines of the previous list
	last   []lanGame
	shown  bool
	err    error
}

const lanListHelp = `w3host lan list lists the games of the local network.

--json prints an array of games; with --watch one array per line for each change. Keys:
name host map players slots slots_open version product game_id entry_key address port
settings width height checksum uptime_seconds rtt_ms. rtt_ms is null for a game
that was only announced.`

func lanListCommand() *cobra.Command {
	c := &lanCall{}
	cmd := &cobra.Command{Use: "list [ADDR...]", Short: "list the games of the local network", Long: lanListHelp}
	fs := cmd.Flags()
	timeout := fs.Duration("timeout", 3*time.Second, "`DURATION` to wait for answers; with --watch, how long a game stays listed without an announcement")
	keepOn := fs.Bool("watch", false, "keep running until Ctrl-C and update the list in place")
	asJSON := fs.Bool("json", false, "print JSON")
	return c.runs(cmd, "ask this host or broadcast `ADDRESS[:PORT]`, port 6112 by default; may be repeated. "+
		"Without it the search goes to the whole network like that of a client (broadcast; multicast DNS for 1.30 to 2.0; UDP port 16000 for 3.0), and announcements count too",
		func() error { return c.list(*timeout, *keepOn, *asJSON) })
}

func (c *lanCall) list(timeout time.Duration, keepOn, asJSON bool) error {
	var o lan.BrowseOptions
	var err error
	if timeout <= 0 {
		err = errors.New("--timeout must be more than 0")
	}
	if err == nil {
		o.Ask, err = c.searches()
	}
	if err == nil {
		o.To, err = lanTargets(c.to)
	}
	if err != nil {
		return usageError{err}
	}
	s := &lanScreen{w: c.stdout, json: asJSON}
	if keepOn {
		s.live = !asJSON && terminal.Is(c.stdout)
		o.Forget = max(timeout, 3*time.Second)
		ctx, stop := context.WithCancel(c.ctx)
		defer stop()
		s.update(nil)
		err = lan.Browse(ctx, o, func(found []lan.Found) {
			if s.update(lanGames(found)); s.err != nil {
				stop()
			}
		})
	} else {
		ctx, stop := context.WithTimeout(c.ctx, timeout)
		defer stop()
		var games []lanGame
		err = lan.Browse(ctx, o, func(found []lan.Found) { games = lanGames(found) })
		if err == nil && c.ctx.Err() != nil {
			return exitCode(exitFailed) // interrupted; the list is incomplete
		}
		if err == nil {
			s.draw(games)
		}
	}
	return cmp.Or(err, s.err)
}

// update draws the list if it has changed. On a terminal it always redraws, since ages and pings change.
func (s *lanScreen) update(games []lanGame) {
	if s.live || !s.shown || !sameGames(s.last, games) {
		s.draw(games)
	}
}

func sameGames(a, b []lanGame) bool {
	return slices.EqualFunc(a, b, func(x, y lanGame) bool {
		x.UptimeSeconds, y.UptimeSeconds, x.RTTMillis, y.RTTMillis = 0, 0, nil, nil
		return x == y
	})
}

func (s *lanScreen) draw(games []lanGame) {
	var out bytes.Buffer
	if s.json {
		if games == nil {
			games = []lanGame{}
		}
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		s.err = errors.Join(s.err, enc.Encode(games))
	} else {
		if s.live && s.height > 0 {
			fmt.Fprintf(&out, "\x1b[%dA\x1b[J", s.height) // move to the first line and clear the rest
		} else if s.shown {
			fmt.Fprintln(&out)
		}
		lanTable(&out, games)
		s.height = bytes.Count(out.Bytes(), []byte("\n"))
	}
	_, err := s.w.Write(out.Bytes())
	s.err = errors.Join(s.err, err)
	s.last, s.shown = games, true
}

func lanTable(w io.Writer, games []lanGame) {
	if len(games) == 0 {
		fmt.Fprintln(w, "No games found. Clients see only games of their own version; --version all searches for all versions.")
		return
	}
	_ = table(w, "NAME\tHOST\tMAP\tPLAYERS\tVERSION\tADDRESS\tPING\tAGE", mapped(games, func(g lanGame) []string { // cannot fail: out is in memory
		ping := "-"
		if g.RTTMillis != nil {
			ping = fmt.Sprintf("%.1f ms", *g.RTTMillis)
		}
		mapName := g.Map[strings.LastIndexAny(g.Map, `\/`)+1:]
		return []string{
			w3map.Plain(g.Name), g.Host, mapName, fmt.Sprintf("%d/%d", g.Players, g.Slots), fmt.Sprintf("%s %v", g.Product, w3gs.Version(g.Version)),
			fmt.Sprintf("%s:%d", g.Address, g.Port), ping, (time.Duration(g.UptimeSeconds) * time.Second).String(),
		}
	}))
}
