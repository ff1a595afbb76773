package host

import (
	"cmp"
	"slices"
	"time"

	"w3host/game"
	"w3host/lan"
	"w3host/lobby"
	"w3host/recording"
	"w3host/replay"
	"w3host/w3gs"
	"w3host/w3map"
)

// proxySize as a map's width and height tells proxies that they may ask for
// reconnection. Clients take the real size from the map.
const proxySize = 1984

// lanCount is how full the lobby is, as the LAN list shows it. Clients make room
// for as many pids as there are slots; the virtual host has one without a slot,
// so that one more slot is shown where the game has room for it.
func (o *Options) lanCount(c lobby.Counts) lan.Count {
	slots := c.Total
	if slots < o.Game.Version.Slots() {
		slots++
	}
	return lan.Count{Slots: slots, Open: c.Open}
}

func (o *Options) statString(m *Map, settings w3gs.GameSettings) w3gs.StatString {
	width, height := m.Width, m.Height
	if o.Game.Reconnect.Wait > 0 {
		width, height = proxySize, proxySize
	}
	return w3gs.StatString{
		Settings: settings,
		Width:    width,
		Height:   height,
		Checksum: m.Checksum,
		MapPath:  m.Path,
		HostName: w3gs.StripColours(o.Game.Lobby.VirtualHost),
		SHA1:     m.SHA1,
		HasSHA1:  o.Game.Version.HasSHA1(),
	}
}

// recordingOf is what the replay of a game with this map begins with.
func (o *Options) recordingOf(m *Map, settings w3gs.GameSettings, opened time.Time) recording.About {
	stat := o.statString(m, settings)
	stat.Width, stat.Height = m.Width, m.Height // not those that proxies ask for
	return recording.About{
		Game: replay.HostOf(o.Product.String(), int(o.Game.Version)),
		Stat: stat, Type: m.GameType(settings), Opened: opened,
	}
}

// settings are the options of the "create game" screen for a map: what the
// operator chose for all games, unless the file beside the map says otherwise.
func settings(m *Map, chosen w3gs.GameSettings) w3gs.GameSettings {
	s := m.Settings
	for _, choice := range []w3gs.Choice{w3gs.Speeds, w3gs.Visibilities, w3gs.ObserverChoices} {
		if mask := choice.Mask; s&mask == w3map.DefaultSettings&mask {
			s = s&^mask | chosen&mask
		}
	}
	return s
}

// gameConfig completes what a game with this map is made from.
func gameConfig(cfg game.Config, id uint32, name string, m *Map) game.Config {
	cfg.ID, cfg.Name = id, name
	cfg.Map = game.Map{
		Name: m.Name, File: m.File, Path: m.Path, Size: m.Size, CRC32: m.CRC32, Checksum: m.Checksum, SHA1: m.SHA1,
	}
	cfg.Settings = settings(m, cfg.Settings)
	cfg.Transfer.Size = m.Size
	l := &cfg.Lobby
	l.Slots, l.Layout, l.PlayerSlots = m.LobbySlots(cfg.Settings), m.Layout, m.PlayerSlots
	l.RandomSeed = randomU32()
	l.MapCheck = w3gs.MapCheck{
		Path: m.Path, Size: m.Size, CRC32: m.CRC32, Checksum: m.Checksum, SHA1: m.SHA1, HasSHA1: cfg.Version.HasSHA1(),
	}
	l.MaxPID, l.RelayExtra = uint8(cfg.Version.Slots()), cfg.Version.RelaysExtra()
	l.Observers = cfg.Settings&w3gs.ObserversOn == w3gs.ObserversOn
	l.RandomRaces = cfg.Settings&w3gs.RandomRaces != 0
	l.Welcome = slices.Concat(l.Welcome, cfg.Rules)
	l.HCL = cmp.Or(m.HCL, l.HCL)
	l.Trigger = string(cfg.Trigger)
	return cfg
}
