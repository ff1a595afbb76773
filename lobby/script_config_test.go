package lobby

import (
	"strings"
	"time"

	"w3host/w3gs"
)

// config reads the options of "new". Without "ping" none are sent and a start asks
// for none, so that scripts about other rules need not play ping-pong; with "unprobed"
// it asks for none, and nobody gets pings of their own but the first; without
// "limits" each change is a table of its own.
func (c *command) config() Config {
	cfg := Defaults()
	cfg.Pace.PingEvery = 0
	if every, ok := c.options["ping"]; ok {
		d, err := time.ParseDuration(every)
		c.fail(err)
		cfg.Pace.PingEvery = d
	}
	if c.has("unprobed") {
		cfg.Start.Pings = 0
	}
	cfg.Pace.TableEvery, cfg.Pace.SlotRequests = 0, 0
	if c.has("limits") {
		cfg.Pace.TableEvery, cfg.Pace.SlotRequests = Defaults().Pace.TableEvery, Defaults().Pace.SlotRequests
	}
	cfg.Slots, cfg.Layout = testSlots(c.arg(0), c.int(1), c.number(c.option("obs", "0")))
	if i := c.number(c.option("fixedrace", "0")); i > 0 {
		cfg.Slots[i-1].Race = w3gs.RaceOrc
	}
	if i := c.number(c.option("weak", "0")); i > 0 {
		cfg.Slots[i-1].Handicap = 50
	}
	cfg.PlayerSlots = uint8(c.int(1))
	cfg.Observers = c.options["obs"] != ""
	cfg.Wire.MaxPID = uint8(c.number(c.option("pids", "12")))
	cfg.Voice.VirtualHost = strings.TrimPrefix(c.option("vhost", "Host"), "-")
	cfg.RandomSeed = 0x12345678
	cfg.Wire.HideAddresses = c.has("hide")
	cfg.RandomRaces = c.has("randomraces")
	cfg.Wire.RelayExtra = c.has("extra")
	cfg.Owner.Name, cfg.Owner.First = c.options["owner"], c.has("ownerfirst")
	cfg.HCL = c.options["hcl"]
	cfg.Admission.SameAddress = SameAddress(c.option("same", "allow"))
	cfg.Countdown.Lines = c.number(c.option("countdown", "5"))
	cfg.Start.Humans = c.number(c.option("autostart", "0"))
	cfg.Start.Full = c.has("full")
	cfg.Start.Ready, cfg.Start.Balanced = c.has("ready"), c.has("balanced")
	cfg.Start.MinPlayers = c.number(c.option("min", "0"))
	cfg.Countdown.GoesOn = c.has("goeson")
	for name, d := range map[string]*time.Duration{
		"startafter": &cfg.Start.After, "pinglimit": &cfg.Admission.PingLimit,
		"idle": &cfg.Close.Idle, "abandoned": &cfg.Close.Abandoned, "afk": &cfg.Close.OwnerAFK,
	} {
		*d, _ = time.ParseDuration(c.option(name, "0s"))
	}
	if held := c.options["held"]; held != "" {
		cfg.Admission.Reserved = strings.Split(held, ",")
	}
	if c.text != "" {
		cfg.Voice.Welcome = strings.Split(c.text, " / ")
	}
	cfg.MapCheck = w3gs.MapCheck{Path: `Maps\a.w3x`, Size: 1000, CRC32: 0x11223344, Checksum: 0x55667788, HasSHA1: true}
	for i := range cfg.MapCheck.SHA1 {
		cfg.MapCheck.SHA1[i] = byte(i + 1)
	}
	return cfg
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
