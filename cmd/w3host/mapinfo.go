package main

import (
	"errors"
	"fmt"
	"image/png"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"w3host/formats/mapconf"
	"w3host/formats/w3map"
	"w3host/internal/terminal"
	"w3host/protocol/w3gs"
)

// mapFacts is the JSON form of a map. Its field names are stable, since other programs use them.
type mapFacts struct {
	File          string      `json:"file"`
	Size          uint32      `json:"size"`
	CRC32         string      `json:"crc32"`
	Checksum      *string     `json:"checksum"` // null if it could not be computed
	SHA1          *string     `json:"sha1"`     // null if it could not be computed, and before 1.23
	Versions      []identity  `json:"versions"` // checksums for other versions, from the sidecar file of the map
	Name          string      `json:"name"`
	Author        string      `json:"author"`
	Description   string      `json:"description"`
	Players       int         `json:"players"` // slots, including those of computers
	Width         uint16      `json:"width"`
	Height        uint16      `json:"height"`
	Format        uint32      `json:"format"`
	Layout        w3gs.Layout `json:"layout"`
	Melee         bool        `json:"melee"`
	FixedSettings bool        `json:"fixed_settings"`
	CustomForces  bool        `json:"custom_forces"`
	Slots         []slotFacts `json:"slots"`
	Forces        []forceFact `json:"forces"`
	Warnings      []string    `json:"warnings"`

	of *w3map.Map
}

// identity holds the checksums of a map for one other version.
type identity struct {
	Version  w3gs.Version `json:"version"`
	Checksum string       `json:"checksum"`
	SHA1     string       `json:"sha1"`
}

// slotFacts is a slot, with the numeric values of the protocol.
type slotFacts struct {
	Status   w3gs.SlotStatus `json:"status"`
	Team     uint8           `json:"team"`
	Colour   uint8           `json:"colour"`
	Race     w3gs.Race       `json:"race"`
	Computer bool            `json:"computer"`
}

type forceFact struct {
	Name    string `json:"name"`
	Players uint32 `json:"players"` // bit mask: bit n is player number n
}

func (c *mapCall) info() error {
	if len(c.names) == 0 {
		return usageError{errors.New("name at least one map file")}
	}
	if c.png != "" && len(c.names) > 1 {
		return usageError{errors.New("--png works with a single map")}
	}
	bar := newMapBar(c.stderr)
	for _, name := range c.names {
		if stat, err := os.Stat(name); err == nil {
			bar.total += stat.Size()
		}
	}
	err := describe(&c.call, func(name string) (mapFacts, error) {
		m, err := c.read(name, bar)
		bar.clear()
		if err != nil {
			return mapFacts{}, err
		}
		if c.json {
			for _, warning := range m.Warnings {
				fmt.Fprintln(c.stderr, w3map.Shown(m.File+": "+warning))
			}
		}
		return factsOf(m), nil
	}, c.printMap)
	if err == nil && c.png != "" {
		if err := writeMinimap(c.names[0], c.png); err != nil {
			return failed(c.names[0], err)
		}
	}
	return err
}

// read reads a map file and its sidecar file.
func (c *mapCall) read(name string, bar *mapBar) (*w3map.Map, error) {
	if stat, err := os.Stat(name); err == nil && stat.IsDir() {
		return nil, fmt.Errorf("this is a folder; list its maps with: %s map list %s", terminal.Program, name)
	}
	f, stat, err := mapconf.Open(name)
	if err != nil {
		return nil, plainError(err)
	}
	defer f.Close()
	m, err := mapconf.Read(f, stat.Size(), name, w3map.Options{Version: c.version, Scripts: c.scripts, Progress: bar.add})
	if err != nil {
		return nil, err
	}
	if missing := m.MissingScripts(); missing != "" {
		if c.scriptsFault != "" {
			m.Warnings = append(m.Warnings, c.scriptsFault+".")
		}
		m.Warnings = append(m.Warnings, missing)
	}
	return m, nil
}

// jsonName returns a file name for JSON, with invalid UTF-8 escaped.
func jsonName(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return w3map.Shown(name)
}

func factsOf(m *w3map.Map) mapFacts {
	f := mapFacts{
		of: m, File: jsonName(m.File), Size: m.Size, CRC32: fmt.Sprintf("%08x", m.CRC32),
		Name: m.Name, Author: m.Author, Description: m.Description, Players: len(m.Slots),
		Width: m.Width, Height: m.Height, Format: m.Format, Layout: m.Layout,
		Melee: m.Melee, FixedSettings: m.FixedSettings, CustomForces: m.CustomForces,
		Versions: mapped(slices.Sorted(maps.Keys(m.Others)), func(v w3gs.Version) identity {
			return identity{v, fmt.Sprintf("%08x", m.Others[v].Checksum), fmt.Sprintf("%x", m.Others[v].SHA1)}
		}),
		Slots:  mapped(m.Slots, func(s w3gs.Slot) slotFacts { return slotFacts{s.Status, s.Team, s.Colour, s.Race, s.Computer} }),
		Forces: mapped(m.Forces, func(f w3map.Force) forceFact { return forceFact{f.Name, f.Players} }), Warnings: append([]string{}, m.Warnings...),
	}
	if m.HasChecksum {
		f.Checksum = new(fmt.Sprintf("%08x", m.Checksum))
	}
	if m.HasSHA1 {
		f.SHA1 = new(fmt.Sprintf("%x", m.SHA1))
	}
	return f
}

// printMap prints a map as text.
func (c *mapCall) printMap(f mapFacts) error {
	m, s := f.of, sheet{shown: w3map.Shown}
	row := s.row
	row("file", "%s", m.File)
	row("path for clients", "%s", m.Path)
	row("name", "%s", w3map.Plain(m.Name))
	row("author", "%s", w3map.Plain(m.Author))
	row("description", "%s", w3map.Plain(m.Description))
	row("players", "%d (%s)", len(m.Slots), w3map.Plain(m.RecommendedPlayers))
	row("playable", "%d × %d", m.Width, m.Height)
	row("format", "%d, editor %d", m.Format, m.EditorVersion)
	row("kind", "%s", kindOf(m))
	row("size", "%d bytes", m.Size)
	row("crc32", "%s", f.CRC32)
	row("checksum", "%s (for %v)", orUnknown(f.Checksum), m.Version)
	row("sha1", "%s", orUnknown(f.SHA1))
	for _, own := range f.Versions {
		row("checksum", "%s (for %v)", own.Checksum, own.Version)
		row("sha1", "%s (for %v)", own.SHA1, own.Version)
	}
	for i, s := range m.Slots {
		row(fmt.Sprintf("slot %d", i+1), "%s", describeSlot(s))
	}
	for i, force := range m.Forces {
		row(fmt.Sprintf("force %d", i+1), "%s", w3map.Plain(force.Name))
	}
	for _, warning := range m.Warnings {
		row("warning", "%s", warning)
	}
	return s.print(c.stdout)
}

func orUnknown(sum *string) string {
	if sum == nil {
		return "unknown"
	}
	return *sum
}

func kindOf(m *w3map.Map) string {
	var words []string
	for _, word := range []struct {
		is   bool
		text string
	}{
		{m.Melee, "melee"},
		{m.CustomForces, "custom forces"},
		{m.FixedSettings, "fixed player settings"},
		{m.Lua, "Lua"},
		{m.Signed, "signed by Blizzard"},
	} {
		if word.is {
			words = append(words, word.text)
		}
	}
	if len(words) == 0 {
		return "plain"
	}
	return strings.Join(words, ", ")
}

func describeSlot(s w3gs.Slot) string {
	status := [...]string{w3gs.SlotOpen: "open", w3gs.SlotClosed: "closed", w3gs.SlotOccupied: "occupied"}[s.Status]
	chosen := either(s.Race&w3gs.RaceSelectable != 0, " or selectable", "")
	return fmt.Sprintf("%s, team %d, colour %d, %s%s", either(s.Computer, "computer", status), s.Team+1, s.Colour+1, raceName(s.Race), chosen)
}

// writeMinimap writes the minimap of a map, or its preview if it has none, as a PNG file.
func writeMinimap(name, to string) error {
	f, stat, err := mapconf.Open(name)
	if err != nil {
		return plainError(err)
	}
	defer f.Close()
	picture, err := w3map.Minimap(f, stat.Size())
	if errors.Is(err, w3map.ErrNoPicture) {
		if preview, noPreview := w3map.Preview(f, stat.Size()); noPreview == nil {
			picture, err = preview, nil
		}
	}
	if err != nil {
		return fmt.Errorf("cannot write the minimap %s: %w", to, err)
	}
	out, err := os.Create(to)
	if err != nil {
		return plainError(err)
	}
	if err := errors.Join(png.Encode(out, picture), out.Close()); err != nil {
		return fmt.Errorf("write %s: %w", to, err)
	}
	return nil
}
