package mapconf

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"w3host/formats/w3map"
	"w3host/protocol/w3gs"
)

var (
	layouts = w3gs.Words[w3gs.Layout]{
		{"melee", w3gs.LayoutMelee}, {"custom-forces", w3gs.LayoutCustomForces}, {"fixed-settings", w3gs.LayoutFixedSettings},
	}
	races = w3gs.Words[w3gs.Race]{
		{"random", w3gs.RaceRandom},
		{"human", w3gs.RaceHuman},
		{"orc", w3gs.RaceOrc},
		{"undead", w3gs.RaceUndead},
		{"night-elf", w3gs.RaceNightElf},
	}
	difficulties = w3gs.Words[w3gs.AI]{{"normal", w3gs.AINormal}, {"easy", w3gs.AIEasy}, {"insane", w3gs.AIInsane}}
	statuses     = w3gs.Words[w3gs.Slot]{
		{"open", w3gs.Slot{Status: w3gs.SlotOpen, Download: w3gs.DownloadUnknown}},
		{"closed", w3gs.Slot{Status: w3gs.SlotClosed, Download: w3gs.DownloadUnknown}},
		{"computer", w3gs.Slot{Status: w3gs.SlotOccupied, Computer: true, Download: 100}},
	}
)

// Apply overrides the map's values with those of the file. A nil Config changes nothing.
func (c *Config) Apply(m *w3map.Map) error {
	if c == nil {
		return nil
	}
	if p := c.Path; p != nil && (len(*p) > w3gs.MaxMapPathLen || !strings.HasPrefix(strings.ToLower(*p), `maps\`)) {
		return c.fault("path", fmt.Errorf(`is %q: it must begin with Maps\ and have at most %d bytes`, *p, w3gs.MaxMapPathLen))
	}
	set(&m.Path, c.Path)
	set(&m.Name, c.Name)
	set(&m.Author, c.Author)
	set(&m.Description, c.Description)
	set(&m.Width, c.Width)
	set(&m.Height, c.Height)
	for _, step := range []func(*w3map.Map) error{c.applyIdentifiers, c.applySettings, c.applySlots} {
		if err := step(m); err != nil {
			return err
		}
	}
	return nil
}

// applyIdentifiers overrides identifiers. If the size or CRC-32 differs from the file's, the settings were
// written for another version of the map, and it returns an error.
func (c *Config) applyIdentifiers(m *w3map.Map) error {
	if c.Size != nil && *c.Size != m.Size {
		return c.fault("size", fmt.Errorf("is %d, but the map has %d bytes: "+
			"it was written for another version of the map; correct it or leave it out", *c.Size, m.Size))
	}
	if c.CRC32 != nil {
		n, err := c.CRC32.number()
		if err == nil && n != m.CRC32 {
			err = fmt.Errorf("is %08x, but the map has %08x: "+
				"it was written for another version of the map; correct it or leave it out", n, m.CRC32)
		}
		if err != nil {
			return c.fault("crc32", err)
		}
	}
	computed := m.Identifiers
	if err := c.identify(&m.Identifiers, "", Identity{c.Checksum, c.SHA1}); err != nil {
		return err
	}
	if computed.HasChecksum && m.Checksum != computed.Checksum {
		m.Warnings = append(m.Warnings, fmt.Sprintf("%s sets checksum %08x, but the computed one is %08x; the value from the file is used.", c.file, m.Checksum, computed.Checksum))
	}
	return c.applyVersions(m)
}

// applyVersions sets the identifiers of other game versions, in order of their names. If two names mean the
// same version, the later one wins.
func (c *Config) applyVersions(m *w3map.Map) error {
	before := *m
	for _, name := range slices.Sorted(maps.Keys(c.Versions)) {
		own := c.Versions[name]
		v, err := w3gs.ParseVersion(name)
		if err != nil {
			return c.fault("versions", err)
		}
		ids := before.For(v)
		if err := c.identify(&ids, fmt.Sprintf("versions.%q ", name), own); err != nil {
			return err
		}
		if v == m.Version {
			m.Identifiers = ids
			continue
		}
		m.SetOther(v, ids)
	}
	return nil
}

// identify sets a checksum and SHA-1; where is the section of the file for error messages.
func (c *Config) identify(ids *w3map.Identifiers, where string, own Identity) error {
	if own.Checksum != nil {
		n, err := own.Checksum.number()
		if err != nil {
			return c.fault(where+"checksum", err)
		}
		ids.Checksum, ids.HasChecksum = n, true
	}
	if own.SHA1 != nil {
		if len(*own.SHA1) != len(ids.SHA1) {
			return c.fault(where+"sha1", fmt.Errorf("has %d hex digits instead of %d", 2*len(*own.SHA1), 2*len(ids.SHA1)))
		}
		copy(ids.SHA1[:], *own.SHA1)
		ids.HasSHA1 = true
	}
	return nil
}

func (c *Config) applySettings(m *w3map.Map) error {
	words := map[string]*string{
		"speed": c.Speed, "visibility": c.Visibility, "observers": c.Observers, "teams_together": onOff(c.TeamsTogether),
		"lock_teams": onOff(c.LockTeams), "shared_control": onOff(c.SharedControl),
		"random_hero": onOff(c.RandomHero), "random_races": onOff(c.RandomRaces),
	}
	for _, choice := range w3gs.Screen {
		word := words[choice.Key]
		if word == nil {
			continue
		}
		bits, err := choice.Parse(*word)
		if err != nil {
			return c.fault(choice.Key, err)
		}
		m.Settings = m.Settings&^choice.Mask | bits
	}
	if c.HCL != nil {
		if err := c.checkMode("hcl", *c.HCL); err != nil {
			return err
		}
		m.HCL = *c.HCL
	}
	for _, mode := range c.Modes {
		if err := c.checkMode("modes", mode); err != nil {
			return err
		}
		if len(c.Modes) > mostModes || strings.TrimSpace(mode) == "" {
			return c.fault("modes", fmt.Errorf("must be a list of at most %d modes without empty ones", mostModes))
		}
	}
	m.Modes = c.Modes
	if c.Link != nil {
		if u, err := url.Parse(*c.Link); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || len(*c.Link) > longestLink {
			return c.fault("link", fmt.Errorf("is %q: it must be an address like https://example.org/map with at most %d bytes", *c.Link, longestLink))
		}
		m.Link = *c.Link
	}
	return nil
}

// onOff converts a boolean key to a word of w3gs.Screen.
func onOff(key *bool) *string {
	if key == nil {
		return nil
	}
	word := "off"
	if *key {
		word = "on"
	}
	return &word
}

// Limits for modes and links, which must fit into chat lines.
const mostModes, longestLink = 16, 150

func (c *Config) checkMode(key, mode string) error {
	if strings.Trim(mode, w3gs.HCLLetters) != "" || len(mode) > w3gs.MaxSlots {
		return c.fault(key, fmt.Errorf("is %q: only a-z, 0-9, space and -=,. are allowed, at most %d characters", mode, w3gs.MaxSlots))
	}
	return nil
}

// applySlots overrides the layout and slots.
func (c *Config) applySlots(m *w3map.Map) error {
	if c.Layout != nil {
		layout, err := layouts.Parse(*c.Layout)
		if err != nil {
			return c.fault("layout", err)
		}
		m.SetLayout(layout)
	}
	if c.Slots == nil {
		return nil
	}
	if len(c.Slots) > w3gs.MaxSlots {
		return c.fault("slots", fmt.Errorf("has %d entries; the game supports at most %d", len(c.Slots), w3gs.MaxSlots))
	}
	m.Slots = nil
	for i, s := range c.Slots {
		slot, err := s.slot(!m.FixedSettings)
		if err != nil {
			return c.fault(fmt.Sprintf("slot %d", i+1), err)
		}
		m.Slots = append(m.Slots, slot)
	}
	m.PlayerSlots = uint8(len(m.Slots))
	return nil
}

func (s Slot) slot(selectable bool) (w3gs.Slot, error) {
	slot, err1 := statuses.Parse(cmp.Or(s.Status, "open"))
	race, err2 := races.Parse(cmp.Or(s.Race, "random"))
	difficulty, err3 := difficulties.Parse(cmp.Or(s.Difficulty, "normal"))
	slot.Team, slot.Colour, slot.Race, slot.AI, slot.Handicap = s.Team-1, s.Colour-1, race, difficulty, cmp.Or(s.Handicap, 100)
	if s.Team < 1 || s.Team > w3gs.MaxSlots || s.Colour < 1 || s.Colour > w3gs.MaxSlots {
		return slot, fmt.Errorf("has team %d and colour %d: both must be 1 to %d", s.Team, s.Colour, w3gs.MaxSlots)
	}
	if slot.Handicap < 50 || slot.Handicap > 100 || slot.Handicap%10 != 0 {
		return slot, fmt.Errorf("has a handicap of %d: it must be 50, 60, 70, 80, 90 or 100", s.Handicap)
	}
	for i, err := range []error{err1, err2, err3} {
		if err != nil {
			return slot, fmt.Errorf("has a %s that %w", []string{"status", "race", "difficulty"}[i], err)
		}
	}
	if s.Selectable != nil {
		selectable = *s.Selectable
	}
	if selectable {
		slot.Race |= w3gs.RaceSelectable
	}
	return slot, nil
}

func (c *Config) fault(key string, err error) error {
	return errors.New(c.file + ": " + key + " " + err.Error())
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}
