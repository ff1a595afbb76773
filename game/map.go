package game

import (
	"cmp"
	"slices"

	"w3host/formats/w3map"
	"w3host/protocol/w3gs"
)

// Seen are the versions whose clients see the lobby, that of the host first.
func (c *Config) Seen() []w3gs.Version { return append([]w3gs.Version{c.Version}, c.Versions...) }

// SeenLike is the Config for players of another's versions.
func (c Config) SeenLike(o *Config) Config {
	c.Version, c.Versions, c.Crossplay = o.Version, o.Versions, o.Crossplay
	return c
}

// ForMap completes the settings from which a lobby with this map is made.
func (c Config) ForMap(m *w3map.Map) Config {
	c.Map = Map{
		Name: m.Name, File: m.File, Path: m.Path, Size: m.Size, CRC32: m.CRC32, Checksum: m.Checksum, SHA1: m.SHA1,
		Reports: m.Reports, Modes: m.Modes, Link: m.Link,
	}
	c.Settings = mapSettings(m, c.Settings)
	c.Transfer.Size = m.Size
	l := &c.Lobby
	l.Slots, l.Layout, l.PlayerSlots = m.LobbySlots(c.Settings), m.Layout, m.PlayerSlots
	l.MapCheck = w3gs.MapCheck{
		Path: c.Version.MapPath(m.Path), Size: m.Size, CRC32: m.CRC32, Checksum: m.Checksum, SHA1: m.SHA1, HasSHA1: c.Version.HasSHA1(),
	}
	l.OtherChecks = map[w3gs.Version]w3gs.MapCheck{}
	for _, v := range c.Versions {
		if !c.Crossplay {
			break
		}
		check, own := l.MapCheck, m.For(v)
		check.Path, check.Checksum, check.SHA1 = v.MapPath(m.Path), own.Checksum, own.SHA1
		l.OtherChecks[v] = check
	}
	l.Wire.Version, l.Wire.MaxPID = c.Version, uint8(c.Version.Slots())
	l.Observers = c.Settings&w3gs.ObserversOn == w3gs.ObserversOn
	l.RandomRaces = c.Settings&w3gs.RandomRaces != 0
	if a := &l.Admission; a.Anonymous && !a.AnyMap && !m.Melee {
		a.Anonymous, a.NamesShown = false, true
	}
	l.Voice.Welcome = slices.Concat(l.Voice.Welcome, c.Rules)
	l.HCL = cmp.Or(m.HCL, l.HCL)
	if m.Reports.W3MMD {
		l.NoWatchers = "its map reports by W3MMD, and may have the fake player report"
	}
	l.Voice.Trigger = string(c.Trigger)
	return c
}

// mapSettings are the options of the "create game" screen for a map: the
// operator's choice for all games, unless the file beside the map says otherwise.
func mapSettings(m *w3map.Map, chosen w3gs.GameSettings) w3gs.GameSettings {
	s := m.Settings
	for _, choice := range []w3gs.Choice{w3gs.Speeds, w3gs.Visibilities, w3gs.ObserverChoices} {
		if mask := choice.Mask; s&mask == w3map.DefaultSettings&mask {
			s = s&^mask | chosen&mask
		}
	}
	return s
}

// MapCheck is the 0x3D of clients of the game's own version.
func (m *Machine) MapCheck() w3gs.MapCheck { return m.cfg.Lobby.MapCheck }
