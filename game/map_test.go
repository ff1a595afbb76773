package game

import (
	"testing"

	"w3host/formats/w3map"
	"w3host/protocol/w3gs"
)

// TestSettings: what the file beside a map sets wins, each choice for itself; what
// it leaves alone is the operator's.
func TestSettings(t *testing.T) {
	const locked = w3gs.TeamsTogether | w3gs.FixedTeams
	for _, tc := range []struct {
		name                  string
		ofMap, operator, want w3gs.GameSettings
	}{
		{
			"all by the operator", w3map.DefaultSettings,
			w3gs.SpeedSlow | w3gs.VisibilityExplored | w3gs.ObserversOn,
			w3gs.SpeedSlow | w3gs.VisibilityExplored | w3gs.ObserversOn | locked,
		},
		{
			"speed by the map", w3gs.SpeedNormal | w3gs.VisibilityDefault | locked,
			w3gs.SpeedFast | w3gs.VisibilityHideTerrain | w3gs.ObserversOn | w3gs.Referees,
			w3gs.SpeedNormal | w3gs.VisibilityHideTerrain | w3gs.ObserversOn | w3gs.Referees | locked,
		},
		{
			"observers by the map", w3gs.SpeedFast | w3gs.VisibilityDefault | w3gs.ObserversOnDefeat,
			w3gs.SpeedFast | w3gs.VisibilityDefault | w3gs.ObserversOn,
			w3gs.SpeedFast | w3gs.VisibilityDefault | w3gs.ObserversOnDefeat,
		},
	} {
		cfg := Config{Settings: tc.operator}.ForMap(&w3map.Map{Settings: tc.ofMap})
		if got := cfg.Settings; got != tc.want {
			t.Errorf("%s: %#x, want %#x", tc.name, got, tc.want)
		}
	}
}

// TestHiddenNames: names are hidden where the map cannot notice it, which is known of melee maps only, or if they are to be
// hidden whatever comes of it.
func TestHiddenNames(t *testing.T) {
	for _, tc := range []struct{ asked, any, melee, hidden, shown bool }{
		{asked: true, melee: true, hidden: true},
		{asked: true, shown: true},
		{asked: true, any: true, hidden: true},
		{melee: true},
		{},
	} {
		var cfg Config
		cfg.Lobby.Admission.Anonymous, cfg.Lobby.Admission.AnyMap = tc.asked, tc.any
		got := cfg.ForMap(&w3map.Map{Melee: tc.melee}).Lobby.Admission
		if got.Anonymous != tc.hidden || got.NamesShown != tc.shown {
			t.Errorf("%+v: hidden %v, told that they are not %v", tc, got.Anonymous, got.NamesShown)
		}
	}
}

// TestLobbyConfig: versions differ in slots and in what is sent of a map.
func TestLobbyConfig(t *testing.T) {
	for _, tc := range []struct {
		version w3gs.Version
		maxPID  uint8
		sha1    bool
	}{{22, 12, false}, {23, 12, true}, {28, 12, true}, {29, 24, true}} {
		cfg := Config{Version: tc.version}.ForMap(&w3map.Map{}).Lobby
		if cfg.Wire.MaxPID != tc.maxPID || cfg.MapCheck.HasSHA1 != tc.sha1 {
			t.Errorf("1.%d: %+v", tc.version, cfg)
		}
	}
}
