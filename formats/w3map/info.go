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

// info is the content of war3map.w3i, its strings unresolved.
type info struct {
	Info
	width, height uint32 // as they stand there, beyond what a map has in broken ones
	players       []Player
	forces        []Force
	cut           bool // ends within the forces
}

// texts are the places of all texts, which may be references to war3map.wts.
func (m *info) texts() []*string {
	all := []*string{&m.Name, &m.Author, &m.Description, &m.RecommendedPlayers}
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
	m, err := parseInfoAs(data, false)
	if err != nil {
		if other, fault := parseInfoAs(data, true); fault == nil {
			return other, nil
		}
	}
	return m, err
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
	m.Format = c.u32()
	v := m.Format
	if v >= 16 {
		c.skip(4)
		m.EditorVersion = c.u32()
	}
	c.skipIf(v >= 27, 4*4)
	m.Name, m.Author, m.Description = c.cstr(), c.cstr(), c.cstr()
	if v >= 8 {
		m.RecommendedPlayers = c.cstr()
	}
	switch {
	case v < 4:
		c.skip(5)
	case v < 9 && other:
		c.skip(21)
	case v < 9:
		c.skip(24)
	}
	c.skip(8 * 4)          // camera bounds
	c.skipIf(v >= 14, 4*4) // and the parts that they leave out
	if v >= 1 {
		m.width, m.height = c.u32(), c.u32()
	}
	c.skipIf(v >= 2 && v < 9, 4)
	if v >= 2 {
		m.Flags = Flags(c.u32())
	}
	c.skipIf(v >= 8, 1)
}

// screens: the loading screen, the prologue, fog, weather, sound, light and water.
func (m *info) screens(c *cursor, other bool) {
	v := m.Format
	beta := other && (v == 23 || v == 24)
	screen := func(titles int) {
		c.skipIf(v >= 17, 4)                         // number of the picture
		c.skipStringsIf(v < formatRoC || v >= 20, 1) // path of an own picture
		c.skipStringsIf(true, 1+titles)
	}
	switch {
	case v >= 37: // a crest stands between number and path
		c.skip(8)
		c.skipStringsIf(true, 4)
	case v >= 11:
		screen(2)
	case v >= 10:
		screen(0)
	}
	if v >= 13 {
		screen(2)
	}
	c.skipIf(v >= 19, 5*4) // fog kind, three measures, colour
	c.skipIf(v >= 36, 4*4)
	c.skipIf(v >= 39, 2*4)
	c.skipIf(v >= 21 && !beta, 4)       // weather
	c.skipStringsIf(v >= 22, 1)         // sound environment
	c.skipIf(v >= 23, 1)                // light
	c.skipIf(v >= formatTFT || beta, 4) // tint
}

// modes: 28+: u32 script language · 29+: u32 graphics · 30+: u32 game data · 32+: camera distances, and more after it.
func (m *info) modes(c *cursor) {
	v := m.Format
	if v >= formatLua {
		m.Lua = c.u32() == 1
	}
	c.skipIf(v >= 29, 4)
	c.skipIf(v >= 30, 4)
	c.skipIf(v >= 32, 2*4)
	c.skipIf(v >= 33, 4)
	c.skipIf(v >= 34, 8*4) // water
	c.skipIf(v >= 35, 4)
	c.skipIf(v >= 38, 4)
}

// readPlayers: u32 n × { u32 number, type, race · 39+: u32 crest · u32 fixed start · cstr name · f32 x, y ·
// 5+: u32 ally masks low, high · 31+: u32 enemy masks low, high }.
func (m *info) readPlayers(c *cursor, other bool) error {
	n := c.u32()
	if c.err != nil {
		return fmt.Errorf("war3map.w3i %w: %d bytes hold no list of players", c.err, len(c.data))
	}
	if n > maxPlayers {
		return fmt.Errorf("war3map.w3i claims %d players: it is damaged, or of a format (%d) that is not known", n, m.Format)
	}
	for range n {
		p := Player{Number: c.u32(), Type: PlayerType(c.u32()), Race: PlayerRace(c.u32())}
		c.skipIf(m.Format >= 39 || other && m.Format >= 37, 4)
		p.FixedStart = c.u32()&1 != 0
		p.Name = c.cstr()
		p.X, p.Y = c.f32(), c.f32()
		c.skipIf(m.Format >= 5, 2*4)
		c.skipIf(m.Format >= formatEnemies, 2*4)
		if c.err != nil {
			return errors.New("war3map.w3i ends within the list of players")
		}
		if p.Number >= maxPlayers {
			return fmt.Errorf("war3map.w3i has a player number %d: it is damaged, or of a format (%d) that is not known",
				p.Number, m.Format)
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
