// Package builtin generates a small playable map: ten players in two forces of five on a green field, each
// with one worker. The host offers it while no other map has been supplied, and tests use it as a real map
// file. Map is its only function; it reads no files.
package builtin

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"w3host/formats/mpq"
)

// Name is the map's file name; MapName is the title that players see.
const (
	Name    = "w3host-test.w3x"
	MapName = "w3host test map"
)

// The field has 64 × 64 tiles of 128 units, centred on 0, 0. Like the World Editor, it leaves the outermost
// tiles unplayable: four at the bottom, eight at the top and six at either side.
const (
	tiles    = 64
	left     = 6
	right    = 6
	bottom   = 4
	top      = 8
	tileSize = 128

	players   = 10
	perForce  = 5
	flags     = 0xDC10 | 0x0040 // the World Editor's defaults plus custom forces
	firstMask = 0xFFFFFC1F      // players 0 to 4 and all unused ones
	otherMask = 0x000003E0      // players 5 to 9
)

// Map returns the file name and content of the map. The content is always the same, and callers must not
// modify it.
func Map() (name string, data []byte) { return Name, build() }

var build = sync.OnceValue(func() []byte {
	header := append([]byte("HM3W\x00\x00\x00\x00"), MapName+"\x00"...)
	header = binary.LittleEndian.AppendUint32(header, flags)
	header = binary.LittleEndian.AppendUint32(header, players)
	w := mpq.NewWriter(header)
	for _, f := range []struct {
		name string
		data []byte
	}{
		{"war3map.j", []byte(script())},
		{"war3map.w3e", terrain()},
		{"war3map.w3i", mapInfo()},
		{"war3map.wts", []byte(texts)},
		{"war3map.shd", make([]byte, 16*tiles*tiles)}, // no shadows
		{"war3map.wpm", pathing()},
		{"war3map.doo", words("W3do", 8, 11, 0, 0, 0)}, // no trees or special doodads
		{"war3mapUnits.doo", words("W3do", 8, 11, 0)},
		{"war3map.mmp", words("", 0, 0)}, // no minimap icons
		{"war3mapMap.blp", minimap()},
	} {
		if err := w.Add(f.name, f.data, mpq.AddOptions{}); err != nil {
			panic(fmt.Sprintf("built-in map: %v", err)) // cannot happen with these constant files
		}
	}
	data, err := w.Bytes()
	if err != nil {
		panic(fmt.Sprintf("built-in map: %v", err))
	}
	return data
})

// start returns the start location of a player. The first force is in the west, the second in the east.
func start(number int) (x, y float32) {
	x = -2304
	if number >= perForce {
		x = 2304
	}
	return x, float32(number%perForce)*1024 - 2304
}

const texts = "\xEF\xBB\xBFSTRING 1\r\n{\r\n" + MapName + "\r\n}\r\n\r\n" +
	"STRING 2\r\n{\r\nA green field to try a host on. Nobody wins here.\r\n}\r\n\r\n" +
	"STRING 3\r\n{\r\nWest\r\n}\r\n\r\nSTRING 4\r\n{\r\nEast\r\n}\r\n"

// mapInfo returns a war3map.w3i in format 25.
func mapInfo() []byte {
	b := words("", 25, 1, 6059)
	b = append(b, "TRIGSTR_001\x00w3host\x00TRIGSTR_002\x002 to 10\x00"...)
	b = floats(b, cameraLeft, cameraBottom, cameraRight, cameraTop, cameraLeft, cameraTop, cameraRight, cameraBottom)
	b = append(b, words("", left, right, bottom, top, tiles-left-right, tiles-bottom-top, flags)...)
	b = append(b, 'L')                            // tileset: Lordaeron Summer
	b = append(b, words("", math.MaxUint32)...)   // no custom loading screen
	b = append(b, "\x00\x00\x00\x00"...)          // its model, text, title and subtitle
	b = append(b, words("", 0)...)                // default game data
	b = append(b, "\x00\x00\x00\x00"...)          // no prologue
	b = append(b, words("", 0, 0, 0, 0, 0, 0)...) // no fog or weather
	b = append(b, "\x00L"...)                     // default sound environment; light of the tileset
	b = append(b, 255, 255, 255, 255)             // default water colour
	b = append(b, words("", players)...)
	for i := range players {
		b = append(b, words("", uint32(i), 1, 0, 1)...) // human, selectable race, fixed start location
		b = append(b, fmt.Sprintf("Player %d\x00", i+1)...)
		x, y := start(i)
		b = floats(b, x, y)
		b = append(b, words("", 0, 0)...) // no ally priorities
	}
	const allied, sharedVision = 0x1 | 0x2, 0x8
	b = append(b, words("", 2, allied|sharedVision, firstMask)...)
	b = append(b, "TRIGSTR_003\x00"...)
	b = append(b, words("", allied|sharedVision, otherMask)...)
	b = append(b, "TRIGSTR_004\x00"...)
	return append(b, words("", 0, 0, 0, 0)...) // no changes to upgrades, technology, random groups or item tables
}

// words returns tag followed by little-endian values.
func words(tag string, values ...uint32) []byte {
	b, _ := binary.Append([]byte(tag), binary.LittleEndian, values) // cannot fail for fixed-size values
	return b
}

func floats(b []byte, values ...float32) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, values)
	return b
}
