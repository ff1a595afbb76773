package w3map

import (
	"errors"
	"fmt"
)

// Versions of the war3map.w3i format in which fields were added or removed. 18 is Reign of Chaos, 25 The
// Frozen Throne; earlier ones are betas, later ones patches from 1.31 on. Sources: published descriptions of
// the format and the readers of other tools.
const (
	formatRoC     = 18
	formatTFT     = 25
	formatLua     = 28
	formatEnemies = 31
	formatNewest  = 39

	// maxPlayers exceeds the largest real player count: 24 and four neutral players.
	maxPlayers = 32
	maxForces  = 32
)

// info is the content of war3map.w3i with unresolved strings.
type info struct {
	Info
	width, height uint32 // as stored; broken maps have absurd values
	players       []Player
	forces        []Force
	cut           bool // the file ends within the list of forces
}

// texts returns pointers to all texts, which may be references into war3map.wts.
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

// references returns the numbers of the war3map.wts entries that the texts refer to.
func (m *info) references() map[int]bool {
	wanted := map[int]bool{}
	for _, text := range m.texts() {
		if id, ok := reference(*text); ok {
			wanted[id] = true
		}
	}
	return wanted
}

// parseInfo reads war3map.w3i up to the forces; later parts are not needed and often missing in protected
// maps.
//
// Sources disagree about a few beta formats. Those are parsed both ways, and the result with plausible
// players is used.
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

// head reads: format u32 · 16+: saves u32, editor version u32 · 27+: game version 4 × u32 · name, author,
// description cstr · 8+: recommended players cstr · camera · playable width, height u32 · 2+: flags u32 · 8+:
// tileset u8. "16+" means format 16 and later.
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
	c.skipIf(v >= 14, 4*4) // margins outside the camera bounds
	if v >= 1 {
		m.width, m.height = c.u32(), c.u32()
	}
	c.skipIf(v >= 2 && v < 9, 4)
	if v >= 2 {
		m.Flags = Flags(c.u32())
	}
	c.skipIf(v >= 8, 1)
}

// screens skips the loading screen, prologue, fog, weather, sound, light and water.
func (m *info) screens(c *cursor, other bool) {
	v := m.Format
	beta := other && (v == 23 || v == 24)
	screen := func(titles int) {
		c.skipIf(v >= 17, 4)                         // index of a predefined picture
		c.skipStringsIf(v < formatRoC || v >= 20, 1) // path of a custom picture
		c.skipStringsIf(true, 1+titles)
	}
	switch {
	case v >= 37: // a crest stands between index and path
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
	c.skipIf(v >= 19, 5*4) // fog kind, three parameters, colour
	c.skipIf(v >= 36, 4*4)
	c.skipIf(v >= 39, 2*4)
	c.skipIf(v >= 21 && !beta, 4)       // weather
	c.skipStringsIf(v >= 22, 1)         // sound environment
	c.skipIf(v >= 23, 1)                // light environment
	c.skipIf(v >= formatTFT || beta, 4) // water tint
}

// modes reads: 28+: script language u32 · 29+: graphics mode u32 · 30+: game data version u32 · 32+: camera
// distances and later additions.
func (m *info) modes(c *cursor) {
	v := m.Format
	if v >= formatLua {
		m.Lua = c.u32() == 1
	}
	c.skipIf(v >= 29, 4)
	c.skipIf(v >= 30, 4)
	c.skipIf(v >= 32, 2*4)
	c.skipIf(v >= 33, 4)
	c.skipIf(v >= 34, 8*4) // water settings
	c.skipIf(v >= 35, 4)
	c.skipIf(v >= 38, 4)
}

// readPlayers reads: n u32 × { number, type, race u32 · 39+: crest u32 · fixed start u32 · name cstr · x, y
// f32 · 5+: ally masks low, high u32 · 31+: enemy masks low, high u32 }.
func (m *info) readPlayers(c *cursor, other bool) error {
	n := c.u32()
	if c.err != nil {
		return fmt.Errorf("war3map.w3i %w: the player list is missing in its %d bytes", c.err, len(c.data))
	}
	if n > maxPlayers {
		return fmt.Errorf("war3map.w3i claims %d players: it is damaged, or of an unknown format (%d)", n, m.Format)
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
			return errors.New("war3map.w3i ends within the player list")
		}
		if p.Number >= maxPlayers {
			return fmt.Errorf("war3map.w3i has a player number %d: it is damaged, or of an unknown format (%d)",
				p.Number, m.Format)
		}
		m.players = append(m.players, p)
	}
	return nil
}

// readForces reads: n u32 × { flags u32 · players u32 · name cstr }. It leaves out a truncated force.
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
