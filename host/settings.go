package host

import (
	"w3host/lobby"
	"w3host/w3gs"
)

// firstSHA1 is the first version that sends a map's SHA-1.
const firstSHA1 = 23

// first24Slots is the first version with 24 slots.
const first24Slots = 29

func (o *Options) sendsSHA1() bool { return o.Version >= firstSHA1 }

// settings are the options of the "create game" screen for this game: what the
// operator chose, and teams as the map has them.
func (g *Game) settings() w3gs.GameSettings {
	return g.opts.Lobby.Settings | g.m.Settings&(w3gs.TeamsTogether|w3gs.FixedTeams)
}

// lobbyConfig is what a lobby with this map starts from.
func (o *Options) lobbyConfig(m *Map, seed uint32) lobby.Config {
	cfg := lobby.Defaults()
	cfg.Slots = m.LobbySlots(o.Lobby.Settings)
	cfg.Layout = m.Layout
	cfg.PlayerSlots = m.PlayerSlots
	cfg.RandomSeed = seed
	cfg.MapCheck = w3gs.MapCheck{
		Path: m.Path, Size: m.Size, CRC32: m.CRC32, Checksum: m.Checksum, SHA1: m.SHA1, HasSHA1: o.sendsSHA1(),
	}
	if o.Version >= first24Slots {
		cfg.MaxPID = w3gs.MaxSlots
	}
	cfg.Observers = o.Lobby.Observers == ObserversOn || o.Lobby.Observers == ObserversReferees
	cfg.HideAddresses = o.Lobby.HideAddresses
	cfg.VirtualHost = o.Name
	cfg.Welcome = o.Lobby.Welcome
	cfg.Reserved = o.Lobby.Reserved
	cfg.HCL = m.HCL
	if o.Lobby.Owner != OwnerFirst {
		cfg.Owner = o.Lobby.Owner
	}
	cfg.AutoStart = max(o.Lobby.Autostart, 0)
	cfg.AutoStartFull = o.Lobby.Autostart == 0
	cfg.Countdown = o.Lobby.Countdown
	return cfg
}

func speedName(s w3gs.GameSettings) string {
	switch s & 3 {
	case w3gs.SpeedSlow:
		return "slow"
	case w3gs.SpeedNormal:
		return "normal"
	}
	return "fast"
}

func visibilityName(s w3gs.GameSettings) string {
	switch {
	case s&w3gs.VisibilityHideTerrain != 0:
		return "hide terrain"
	case s&w3gs.VisibilityExplored != 0:
		return "explored"
	case s&w3gs.VisibilityAlwaysVisible != 0:
		return "always visible"
	}
	return "default"
}
