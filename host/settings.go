package host

import (
	"cmp"
	"slices"
	"strings"
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
	if slots < o.Version.Slots() {
		slots++
	}
	return lan.Count{Slots: slots, Open: c.Open}
}

func (o *Options) statString(m *Map, settings w3gs.GameSettings) w3gs.StatString {
	width, height := m.Width, m.Height
	if o.Reconnect.Enabled {
		width, height = proxySize, proxySize
	}
	return w3gs.StatString{
		Settings: settings,
		Width:    width,
		Height:   height,
		Checksum: m.Checksum,
		MapPath:  m.Path,
		HostName: w3gs.StripColours(o.Name),
		SHA1:     m.SHA1,
		HasSHA1:  o.Version.HasSHA1(),
	}
}

// recordingOf is what the replay of a game with this map begins with.
func (o *Options) recordingOf(m *Map, settings w3gs.GameSettings, opened time.Time) recording.About {
	stat := o.statString(m, settings)
	stat.Width, stat.Height = m.Width, m.Height // not those that proxies ask for
	return recording.About{
		Game: replay.HostOf(o.Product.String(), int(o.Version)),
		Stat: stat, Type: m.GameType(settings), Opened: opened,
	}
}

// settings are the options of the "create game" screen for a map: what the
// operator chose for all games, unless the file beside the map says otherwise.
func (o *Options) settings(m *Map) w3gs.GameSettings {
	s := m.Settings
	for _, choice := range []w3gs.Choice{w3gs.Speeds, w3gs.Visibilities, w3gs.ObserverChoices} {
		if mask := choice.Mask; s&mask == w3map.DefaultSettings&mask {
			s = s&^mask | o.Lobby.Settings&mask
		}
	}
	return s
}

// gameConfig is what a game with this map is made from.
func (o *Options) gameConfig(id uint32, name string, m *Map) game.Config {
	transfer := o.Transfer
	transfer.Size = m.Size
	return game.Config{
		ID: id, Name: name, Version: o.Version, Program: o.ProgramName,
		Map: game.Map{
			Name: m.Name, File: m.File, Path: m.Path, Size: m.Size, CRC32: m.CRC32, Checksum: m.Checksum, SHA1: m.SHA1,
		},
		Settings:  o.settings(m),
		Lobby:     o.lobbyConfig(m, randomU32()),
		Transfer:  transfer,
		Turns:     o.Turns,
		Trigger:   o.Lobby.Trigger,
		Rules:     o.Lobby.Rules,
		Reconnect: o.Reconnect.game(),
		Votes:     o.Votes,
		Commands:  o.Lobby.Commands,
		Cooldown:  o.Lobby.Cooldown,
		Silence:   o.Limits.LobbyTimeout,
	}
}

// lobbyConfig is what a lobby with this map starts from.
func (o *Options) lobbyConfig(m *Map, seed uint32) lobby.Config {
	cfg := lobby.Defaults()
	settings := o.settings(m)
	cfg.Slots = m.LobbySlots(settings)
	cfg.Layout = m.Layout
	cfg.PlayerSlots = m.PlayerSlots
	cfg.RandomSeed = seed
	cfg.MapCheck = w3gs.MapCheck{
		Path: m.Path, Size: m.Size, CRC32: m.CRC32, Checksum: m.Checksum, SHA1: m.SHA1, HasSHA1: o.Version.HasSHA1(),
	}
	cfg.MaxPID = uint8(o.Version.Slots())
	cfg.Observers = settings&w3gs.ObserversOn == w3gs.ObserversOn
	cfg.RandomRaces = settings&w3gs.RandomRaces != 0
	cfg.HideAddresses = o.Lobby.HideAddresses
	cfg.VirtualHost = o.Name
	cfg.Welcome = slices.Concat(o.Lobby.Welcome, o.Lobby.Rules)
	cfg.Reserved = o.Lobby.Reserved
	cfg.HCL = cmp.Or(m.HCL, o.Lobby.HCL)
	cfg.MinPlayers, cfg.StartAfter, cfg.CountdownGoesOn = o.Lobby.MinPlayers, o.Lobby.StartAfter, o.Lobby.CountdownGoesOn
	cfg.PingLimit, cfg.IdleAfter = o.Lobby.PingLimit, o.Lobby.IdleAfter
	cfg.AbandonedAfter, cfg.OwnerAFKAfter = o.Lobby.AbandonedAfter, o.Lobby.OwnerAFKAfter
	if cfg.OwnerFirst = o.Lobby.Owner == OwnerFirst; !cfg.OwnerFirst {
		cfg.Owner, cfg.OwnerRealm, _ = strings.Cut(o.Lobby.Owner, "@")
	}
	cfg.Language = o.Lobby.Language
	cfg.Trigger = string(o.Lobby.Trigger)
	cfg.KickCooldown, cfg.SameAddress = o.Lobby.KickCooldown, o.Lobby.SameAddress
	cfg.RelayExtra = o.Version.RelaysExtra()
	cfg.AutoStart = max(o.Lobby.Autostart, 0)
	cfg.AutoStartFull = o.Lobby.Autostart == 0
	cfg.AutoStartReady, cfg.AutoStartBalanced = o.Lobby.StartReady, o.Lobby.StartBalanced
	cfg.SlotRequests = o.Limits.SlotRequests
	cfg.Countdown = o.Lobby.Countdown
	return cfg
}
