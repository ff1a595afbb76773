package builtin

import "encoding/binary"

// Values of war3map.wpm cells; each tile has 4 × 4 cells.
const (
	cellFree  = 0x40 // walkable, buildable, no water
	cellFixed = 0xCE // no walking, flying or building: outside the playable area
)

// terrain returns war3map.w3e: "W3E!" · u32 11 · tileset · u32 0 · ground tiles · cliff tiles · width and
// height in corners u32 · x and y of the first corner f32 · 7 bytes per corner: height u16, water level u16
// with the map edge flag in bit 14, texture, variation, cliff and layer.
func terrain() []byte {
	b := append(words("W3E!", 11), 'L')
	b = append(b, words("", 0, 6)...)
	b = append(b, "LdrtLdroLdrgLrokLgrsLgrd"...)
	b = append(b, words("", 2)...)
	b = append(b, "CLdiCLgr"...)
	const corners = tiles + 1
	b = append(b, words("", corners, corners)...)
	b = floats(b, -tiles/2*tileSize, -tiles/2*tileSize)
	const level, edge, grass, plain = 0x2000, 0x4000, 4, 0xF2
	for y := range corners {
		for x := range corners {
			water := uint16(level)
			if !inside(x, y) {
				water |= edge
			}
			b = binary.LittleEndian.AppendUint16(b, level)
			b = binary.LittleEndian.AppendUint16(b, water)
			b = append(b, grass, byte((x*7+y*13)%16), plain)
		}
	}
	return b
}

func inside(x, y int) bool {
	return x >= left && x <= tiles-right && y >= bottom && y <= tiles-top
}

// pathing returns war3map.wpm: "MP3W" · u32 0 · width and height u32 · one byte per cell.
func pathing() []byte {
	const cells = 4
	b := words("MP3W", 0, cells*tiles, cells*tiles)
	for y := range cells * tiles {
		for x := range cells * tiles {
			cell := byte(cellFree)
			if x < cells*left || x >= cells*(tiles-right) || y < cells*bottom || y >= cells*(tiles-top) {
				cell = cellFixed
			}
			b = append(b, cell)
		}
	}
	return b
}

// minimap returns war3mapMap.blp: 256 × 256 palette pixels without alpha, northernmost row first.
func minimap() []byte {
	const side, colours, headerLen = 256, 256, 28 + 2*16*4
	const picture, opaque = headerLen + 4*colours, 5
	b := words("BLP1", 1, 0, side, side, opaque, 0)
	b = append(b, words("", picture)...)
	b = append(b, make([]byte, 15*4)...)
	b = append(b, words("", side*side)...)
	b = append(b, make([]byte, 15*4)...)
	palette := []uint32{0x00000000, 0x002F6B2F, 0x00336F2B, 0x00C04040, 0x004040C0} // 0RGB: edge, grass, grass, west, east
	b = append(b, words("", palette...)...)
	b = append(b, make([]byte, 4*(colours-len(palette)))...)
	at := len(b)
	for y := range side {
		for x := range side {
			index := byte(0)
			if inside(x*tiles/side, tiles-1-y*tiles/side) {
				index = 1 + byte((x/8+y/8)%2)
			}
			b = append(b, index)
		}
	}
	for i := range players {
		x, y := start(i)
		const perPixel = tiles * tileSize / side
		cx, cy := side/2+int(x)/perPixel, side/2-int(y)/perPixel
		for d := range 25 {
			b[at+(cy-2+d/5)*side+cx-2+d%5] = 3 + byte(i/perForce)
		}
	}
	return b
}
