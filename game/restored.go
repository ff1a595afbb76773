package game

import (
	"w3host/formats/savedgame"
	"w3host/lobby"
	"w3host/protocol/w3gs"
)

// Restored is a saved game for which a lobby is to be opened.
type Restored struct {
	*savedgame.Save
	By      w3gs.Version        // version of the game that saved it
	File    string              // name of the file in each player's folder Save\Multiplayer
	Players map[int]lobby.Place // players by slot, from 0; only Name, Realm and Fake are set
}

// Saved identifies a saved game to clients, in place of a map.
type Saved struct {
	File  string
	Magic uint32
}

// ForSave completes a configuration for the lobby of a saved game. The caller has called ForMap with its map before.
func (c Config) ForSave(r *Restored) Config {
	c.Saved = &Saved{File: r.File, Magic: r.Magic}
	c.Settings, c.Versions, c.Crossplay = r.Stat.Settings, nil, false
	l := &c.Lobby
	l.MapCheck.Path, l.OtherChecks = r.MapPath, nil
	l.Layout, l.PlayerSlots, l.HCL, l.Restored = w3gs.LayoutFixedSettings, r.Table.PlayerSlots, "", true
	l.Slots, l.Places = nil, nil
	for i, s := range r.Table.Slots {
		place := r.Players[i]
		if place.Slot = s; s.Computer || s.Status != w3gs.SlotOccupied {
			place.Slot.PID = 0
		}
		l.Slots, l.Places = append(l.Slots, place.Slot), append(l.Places, place)
	}
	// An automatic start waits for all players of the saved game.
	l.Start.Full = l.Start.Full || l.Start.Humans > 0
	l.Start.Humans, l.Start.Balanced = 0, false
	return c
}

// Announce replaces the map by the saved game in an announcement. proxied keeps the map size, by which proxies recognize
// that they may ask for reconnection.
func (s *Saved) Announce(stat *w3gs.StatString, proxied, private bool) w3gs.GameType {
	stat.MapPath, stat.Checksum = `Save\Multiplayer\`+s.File, s.Magic
	if !proxied {
		stat.Width, stat.Height = 0, 0
	}
	if private {
		return w3gs.GameTypeSaved | w3gs.GameTypePrivate
	}
	return w3gs.GameTypeSaved
}
