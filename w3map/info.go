package w3map

import (
	"errors"
	"fmt"
)

// Formats of war3map.w3i at which fields come or go. 18 is Reign of Chaos, 25 The Frozen Throne; the earlier ones are
// betas, the later ones patches from 1.31 on. Sources: the published descriptions of the format and the readers of
// other tools.
const (
	formatRoC     = 18
	formatTFT     = 25
	formatLua     = 28
	formatEnemies = 31
	formatNewest  = 39

	// maxPlayers is the largest player count there is, 24 and four neutral ones, with room to spare.
	maxPlayers = 32
	maxForces  = 32
)

// info is what war3map.w3i says, its strings unresolved.
type info struct {
	format, editor                         uint32
	name, author, description, recommended string
	width, height                          uint32
	flags                                  Flags
	lua                                    bool
	players                                []Player
	forces                                 []Force
	cut                                    bool // ends within the forces
}

// texts are the places of all texts, which may be references to war3map.wts.
func (m *info) texts() []*string {
	all := []*string{&m.name, &m.author, &m.description, &m.recommended}
	for i := range m.players {
		all = append(all, &m.players[i].Name)
	}
	for i := range m.forces {
		all = append(all, &m.forces[i].Name)
	}
	return all
}

// references are the numbers of war3map.wts that the texts need.
func (m *info) references() map[int]bool {
	wanted := map[int]bool{}
	for _, text := range m.texts() {
		if id, ok := reference(*text); ok {
			wanted[id] = true
		}
	}
	return wanted
}

// parseInfo reads war3map.w3i up to the forces; what follows them is not needed and often missing in protected maps.
//
// About a few beta formats the sources disagree. Those are read in both ways, and the way that gives sensible players
// is taken.
func parseInfo(data []byte) (*info, error) {
	first, err := parseInfoAs(data, false)
	if err == nil {
		return first, nil
	}
	if second, err := parseInfoAs(data, true); err == nil {
		return second, nil
	}
	return nil, err
}

func parseInfoAs(data []byte, other bool) (*info, error) {
	c := &cursor{data: data}
	m := &info{}
	m.head(c, other)
	m.screens(c, other)
	m.modes(c)
	if err := m.readPlayers(c, other); err != nil {
		return nil, err
	}
	m.readForces(c)
	return m, nil
}

// head: u32 format · 16+: u32 saves, u32 editor version · 27+: 4 × u32 game version · cstr name, author, description ·
// 8+: cstr recommended players · camera · u32 playable width, height · 2+: u32 flags · 8+: u8 tileset.
func (m *info) head(c *cursor, other bool) {
	m.format = c.u32()
	if m.format >= 16 {
		c.skip(4)
		m.editor = c.u32()
	}
	if m.format >= 27 {
		c.skip(16)
	}
	m.name, m.author, m.description = c.cstr(), c.cstr(), c.cstr()
	if m.format >= 8 {
		m.recommended = c.cstr()
	}
	switch {
	case m.format < 4:
		c.skip(5)
	case m.format < 9 && other:
		c.skip(21)
	case m.format < 9:
		c.skip(24)
	}
	c.skip(8 * 4) // camera bounds
	if m.format >= 14 {
		c.skip(4 * 4) // and what they leave out
	}
	if m.format >= 1 {
		m.width, m.height = c.u32(), c.u32()
	}
	if m.format >= 2 {
		if m.format < 9 {
			c.skip(4)
		}
		m.flags = Flags(c.u32())
	}
	if m.format >= 8 {
		c.skip(1)
	}
}

// screens: the loading screen, the prologue, fog, weather, sound, light and water.
func (m *info) screens(c *cursor, other bool) {
	v := m.format
	screen := func(titles bool) {
		if v >= 17 {
			c.skip(4) // number of the picture
		}
		if v < formatRoC || v >= 20 {
			c.skipStrings(1) // path of an own picture
		}
		c.skipStrings(1)
		if titles {
			c.skipStrings(2)
		}
	}
	switch {
	case v >= 37: // a crest stands between number and path
		c.skip(8)
		c.skipStrings(4)
	case v >= 10:
		screen(v >= 11)
	}
	if v >= 13 {
		screen(true)
	}
	if v >= 19 {
		c.skip(5 * 4) // fog kind, three measures, colour
	}
	if v >= 36 {
		c.skip(4 * 4)
	}
	if v >= 39 {
		c.skip(2 * 4)
	}
	weather := v >= 21
	tint := v >= formatTFT
	if other && (v == 23 || v == 24) {
		weather, tint = false, true
	}
	if weather {
		c.skip(4)
	}
	if v >= 22 {
		c.skipStrings(1) // sound environment
	}
	if v >= 23 {
		c.skip(1) // light
	}
	if tint {
		c.skip(4)
	}
}

// modes: 28+: u32 script language · 29+: u32 graphics · 30+: u32 game data · 32+: camera distances, and more after it.
func (m *info) modes(c *cursor) {
	v := m.format
	if v >= formatLua {
		m.lua = c.u32() == 1
	}
	for _, since := range []uint32{29, 30, 32, 32, 33} {
		if v >= since {
			c.skip(4)
		}
	}
	if v >= 34 {
		c.skip(8 * 4) // water
	}
	if v >= 35 {
		c.skip(4)
	}
	if v >= 38 {
		c.skip(4)
	}
}

// readPlayers: u32 n × { u32 number, type, race · 39+: u32 crest · u32 fixed start · cstr name · f32 x, y ·
// 5+: u32 ally masks low, high · 31+: u32 enemy masks low, high }.
func (m *info) readPlayers(c *cursor, other bool) error {
	n := c.u32()
	if c.err != nil {
		return fmt.Errorf("war3map.w3i %w: %d bytes hold no list of players", c.err, len(c.data))
	}
	if n > maxPlayers {
		return fmt.Errorf("war3map.w3i claims %d players: it is damaged, or of a format (%d) that is not known", n, m.format)
	}
	for range n {
		p := Player{Number: c.u32(), Type: PlayerType(c.u32()), Race: PlayerRace(c.u32())}
		if m.format >= 39 || other && m.format >= 37 {
			c.skip(4)
		}
		p.FixedStart = c.u32()&1 != 0
		p.Name = c.cstr()
		p.X, p.Y = c.f32(), c.f32()
		if m.format >= 5 {
			c.skip(2 * 4)
		}
		if m.format >= formatEnemies {
			c.skip(2 * 4)
		}
		if c.err != nil {
			return errors.New("war3map.w3i ends within the list of players")
		}
		if p.Number >= maxPlayers {
			return fmt.Errorf("war3map.w3i has a player number %d: it is damaged, or of a format (%d) that is not known",
				p.Number, m.format)
		}
		m.players = append(m.players, p)
	}
	return nil
}

// readForces: u32 n × { u32 flags · u32 players · cstr name }. A force that is not whole is left out.
func (m *info) readForces(c *cursor) {
	n := c.u32()
	for range min(n, maxForces) {
		f := Force{Flags: c.u32(), Players: c.u32(), Name: c.cstr()}
		if c.err != nil {
			break
		}
		m.forces = append(m.forces, f)
	}
	m.cut = c.err != nil
}
