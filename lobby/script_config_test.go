package lobby

import (
	"strings"
	"time"

	"w3host/protocol/w3gs"
)

// config reads the options of "new". Without "ping" none are sent and a start asks
// for none, so that scripts about other rules need not play ping-pong; with "unprobed"
// it asks for none, and nobody gets pings of their own but the first; without
// "limits" each change is a table of its own.
func (c *command) config() Config {
	cfg := Defaults()
	cfg.Pace.PingEvery = 0
	if every, ok := c.Options["ping"]; ok {
		d, err := time.ParseDuration(every)
		c.Fail(err)
		cfg.Pace.PingEvery = d
	}
	if c.Has("unprobed") {
		cfg.Start.Pings = 0
	}
	cfg.Pace.TableEvery, cfg.Pace.SlotRequests = 0, 0
	if c.Has("limits") {
		cfg.Pace.TableEvery, cfg.Pace.SlotRequests = Defaults().Pace.TableEvery, Defaults().Pace.SlotRequests
	}
	cfg.Slots, cfg.Layout = testSlots(c.Arg(0), c.Int(1), c.Number(c.Option("obs", "0")))
	if i := c.Number(c.Option("fixedrace", "0")); i > 0 {
		cfg.Slots[i-1].Race = w3gs.RaceOrc
	}
	if i := c.Number(c.Option("weak", "0")); i > 0 {
		cfg.Slots[i-1].Handicap = 50
	}
	cfg.PlayerSlots = uint8(c.Int(1))
	cfg.Observers = c.Options["obs"] != ""
	cfg.Wire.MaxPID = uint8(c.Number(c.Option("pids", "12")))
	cfg.Voice.VirtualHost = strings.TrimPrefix(c.Option("vhost", "Host"), "-")
	cfg.RandomSeed = 0x12345678
	cfg.Wire.HideAddresses = c.Has("hide")
	cfg.RandomRaces = c.Has("randomraces")
	if c.Has("reforged") {
		cfg.Wire.Version = 32
	}
	if c.Has("three") {
		cfg.Wire.Version = w3gs.VersionThree
	}
	for i := range cfg.Slots[c.Int(1):] {
		watcher := &cfg.Slots[c.Int(1)+i]
		watcher.Team, watcher.Colour = cfg.Wire.Version.ObserverTeam(), cfg.Wire.Version.ObserverTeam()
	}
	cfg.Chat.Echo = c.Has("echo")
	cfg.Admission.ShareOfLobby = c.Number(c.Option("share", "0"))
	cfg.Owner.Name, cfg.Owner.First = c.Options["owner"], c.Has("ownerfirst")
	cfg.HCL = c.Options["hcl"]
	cfg.Admission.SameAddress = SameAddress(c.Option("same", "allow"))
	cfg.Countdown.Lines = c.Number(c.Option("countdown", "5"))
	cfg.Start.Humans = c.Number(c.Option("autostart", "0"))
	cfg.Start.Full = c.Has("full")
	cfg.Start.Ready, cfg.Start.Balanced = c.Has("ready"), c.Has("balanced")
	cfg.Start.MinPlayers = c.Number(c.Option("min", "0"))
	cfg.Countdown.GoesOn, cfg.WatchersSeat = c.Has("goeson"), c.Has("watchersseat")
	for name, d := range map[string]*time.Duration{
		"startafter": &cfg.Start.After, "mapsilence": &cfg.Admission.MapSilence, "pinglimit": &cfg.Admission.PingLimit,
		"idle": &cfg.Close.Idle, "abandoned": &cfg.Close.Abandoned, "afk": &cfg.Close.OwnerAFK,
	} {
		*d, _ = time.ParseDuration(c.Option(name, "0s"))
	}
	if held := c.Options["held"]; held != "" {
		cfg.Admission.Reserved = strings.Split(held, ",")
	}
	cfg.Admission.LookAlikes = LookAlikes(c.Options["alike"])
	cfg.Admission.Anonymous, cfg.Admission.NamesShown = c.Has("anonymous"), c.Has("namesshown")
	if c.Text != "" {
		cfg.Voice.Welcome = strings.Split(c.Text, " / ")
	}
	cfg.MapCheck = w3gs.MapCheck{Path: `Maps\a.w3x`, Size: 1000, CRC32: 0x11223344, Checksum: 0x55667788, HasSHA1: true}
	for i := range cfg.MapCheck.SHA1 {
		cfg.MapCheck.SHA1[i] = byte(i + 1)
	}
	return cfg
}

// restore makes the lobby that of a saved game.
func restore(cfg *Config, places []Place) {
	cfg.Places, cfg.Restored, cfg.Layout, cfg.Slots = places, true, w3gs.LayoutFixedSettings, nil
	for _, p := range places {
		cfg.Slots = append(cfg.Slots, p.Slot)
	}
}

// testSlots are the slots of a map with n players, in two forces of equal size
// where it has forces, and observers after them.
func testSlots(kind string, n, observers int) (slots []w3gs.Slot, layout w3gs.Layout) {
	for i := range n {
		s := w3gs.Slot{Download: 255, Team: uint8(i), Colour: uint8(i), Race: 0x60, AI: w3gs.AINormal, Handicap: 100}
		switch kind {
		case "forces":
			layout = w3gs.LayoutCustomForces
			s.Team = uint8(2 * i / n)
		case "fixed":
			layout = w3gs.LayoutFixedSettings
			s.Team, s.Race = uint8(2*i/n), w3gs.RaceOrc
		case "ladder":
			layout = w3gs.LayoutLadder
		}
		slots = append(slots, s)
	}
	for range observers {
		slots = append(slots, w3gs.Slot{Download: 255, Team: 12, Colour: 12, Race: 0x60, AI: w3gs.AINormal, Handicap: 100})
	}
	return slots, layout
}
