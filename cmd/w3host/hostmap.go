package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/host"
	"w3host/mapxfer"
	"w3host/w3map"
	"w3host/w3map/builtin"
)

// mapExists reports a --map that is clearly meant as a file but is none.
func mapExists(c config.Config) error {
	name := c.Lobby.Map
	if name == "" {
		return nil
	}
	_, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("lobby.map = %q: there is no such file; give a path, or leave it out for the built-in test map", name)
	}
	return err
}

// loadMap reads the map to be hosted.
func loadMap(c config.Config, log zerolog.Logger) (*host.Map, error) {
	name, data := builtin.Map()
	if c.Lobby.Map != "" {
		var err error
		if data, err = os.ReadFile(c.Lobby.Map); err != nil {
			return nil, fmt.Errorf("read the map: %w", err)
		}
		name = filepath.Base(c.Lobby.Map)
	}
	m, err := w3map.Read(bytes.NewReader(data), int64(len(data)), name, w3map.Options{
		Version: w3map.Version(c.Host.Version),
	})
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", name, err)
	}
	for _, w := range m.Warnings {
		log.Warn().Str("map", name).Msg(w)
	}
	parts, err := mapxfer.NewParts(data)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", name, err)
	}
	return &host.Map{Map: m, Parts: parts}, nil
}

// welcome tells a first-time user where the game is and how to join.
func welcome(c config.Config, addr netip.AddrPort, m *host.Map, log zerolog.Logger) {
	log.Info().Stringer("listen", addr).Str("map", m.File).Int("players", int(m.PlayerSlots)).
		Msgf("hosting %q on %s", w3map.Plain(m.Name), addr)
	where := "the LAN screen of Warcraft III 1." + fmt.Sprint(c.Host.Version) + " on this network"
	if !c.LAN.Enabled {
		where = "a client that knows this address; it is not announced, because the LAN part is off"
	}
	start := "it starts when every open slot is taken"
	switch {
	case c.Lobby.Autostart > 0:
		start = fmt.Sprintf("it starts with %d players", c.Lobby.Autostart)
	case c.Lobby.Autostart < 0:
		start = "it starts on " + c.Lobby.CommandTrigger + "start"
	}
	log.Info().Msgf("join from %s; %s", where, start)
	bots := strings.Replace(addr.String(), "0.0.0.0", "127.0.0.1", 1)
	bots = strings.Replace(bots, "[::]", "127.0.0.1", 1)
	log.Info().Msgf("to try it without the game: w3host bots --addr %s --players %d", bots, m.PlayerSlots)
}
