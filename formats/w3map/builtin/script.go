package builtin

import (
	_ "embed"
	"strings"
)

// Edges of the playable part of the field. The camera stays within them, less the part of the screen beyond its middle.
const (
	edgeLeft   = (left - tiles/2) * tileSize
	edgeRight  = (tiles/2 - right) * tileSize
	edgeBottom = (bottom - tiles/2) * tileSize
	edgeTop    = (tiles/2 - top) * tileSize

	cameraLeft   = edgeLeft + 512
	cameraRight  = edgeRight - 512
	cameraBottom = edgeBottom + 256
	cameraTop    = edgeTop - 256
)

// source is the map's script. The game runs config in the lobby and main when the game begins. Its numbers are held to
// those of this package by a test.
//
//go:embed war3map.j
var source string

// script is source with the line ends of the game, whatever a checkout made of them.
func script() string {
	return strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\n", "\r\n")
}
