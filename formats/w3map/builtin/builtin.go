// Package builtin makes a small map out of nothing: ten players in two forces of five on a green field, each with one
// worker. A host has something to host with it before anybody has supplied a map, and tests have a real map file.
package builtin

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"w3host/formats/mpq"
)

// Name is the file name of the map, MapName the name that players see.
const (
	Name    = "w3host-test.w3x"
	MapName = "w3host test map"
)

// The field: 64 × 64 tiles of 128 units with the middle at 0, 0, of which the World Editor leaves the outermost ones
// unplayable, four below, eight above and six on either side.
const (
	tiles    = 64
	left     = 6
	right    = 6
	bottom   = 4
	top      = 8
	tileSize = 128

	players   = 10
	perForce  = 5
	flags     = 0xDC10 | 0x0040 // as the World Editor sets them, and custom forces
	firstMask = 0xFFFFFC1F      // players 0 to 4 and all that are not there
	otherMask = 0x000003E0      // players 5 to 9
)

// Map gives the name of the file and its content, which is always the same. The content must not be changed.
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
		{"war3map.doo", words("W3do", 8, 11, 0, 0, 0)}, // no trees, no special doodads
		{"war3mapUnits.doo", words("W3do", 8, 11, 0)},
		{"war3map.mmp", words("", 0, 0)}, // no icons on the minimap
		{"war3mapMap.blp", minimap()},
	} {
		if err := w.Add(f.name, f.data, mpq.AddOptions{}); err != nil {
			panic(fmt.Sprintf("built-in map: %v", err)) // the files never change
		}
	}
	data, err := w.Bytes()
	if err != nil {
		panic(fmt.Sprintf("built-in map: %v", err))
	}
	return data
})

// start is the place of a player: the forces face each other, one in the west, one in the east.
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

// mapInfo makes a war3map.w3i of format 25.
func mapInfo() []byte {
	b := words("", 25, 1, 6059)
	b = append(b, "TRIGSTR_001\x00w3host\x00TRIGSTR_002\x002 to 10\x00"...)
	b = floats(b, cameraLeft, cameraBottom, cameraRight, cameraTop, cameraLeft, cameraTop, cameraRight, cameraBottom)
	b = append(b, words("", left, right, bottom, top, tiles-left-right, tiles-bottom-top, flags)...)
	b = append(b, 'L')                            // tile set: Lordaeron in summer
	b = append(b, words("", math.MaxUint32)...)   // no loading screen of its own
	b = append(b, "\x00\x00\x00\x00"...)          // nor its model, text, title and subtitle
	b = append(b, words("", 0)...)                // game data: default
	b = append(b, "\x00\x00\x00\x00"...)          // no prologue
	b = append(b, words("", 0, 0, 0, 0, 0, 0)...) // no fog, no weather
	b = append(b, "\x00L"...)                     // no sound environment; light of the tile set
	b = append(b, 255, 255, 255, 255)             // water in its own colour
	b = append(b, words("", players)...)
	for i := range players {
		b = append(b, words("", uint32(i), 1, 0, 1)...) // a human, of a race of choice, on a fixed place
		b = append(b, fmt.Sprintf("Player %d\x00", i+1)...)
		x, y := start(i)
		b = floats(b, x, y)
		b = append(b, words("", 0, 0)...) // no priorities of allies
	}
	const allied, sharedVision = 0x1 | 0x2, 0x8
	b = append(b, words("", 2, allied|sharedVision, firstMask)...)
	b = append(b, "TRIGSTR_003\x00"...)
	b = append(b, words("", allied|sharedVision, otherMask)...)
	b = append(b, "TRIGSTR_004\x00"...)
	return append(b, words("", 0, 0, 0, 0)...) // nothing changed about upgrades, technology, random groups and items
}

// words is a tag and little-endian numbers.
func words(tag string, values ...uint32) []byte {
	b, _ := binary.Append([]byte(tag), binary.LittleEndian, values) // of a size that is known: no error
	return b
}

func floats(b []byte, values ...float32) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, values)
	return b
}
