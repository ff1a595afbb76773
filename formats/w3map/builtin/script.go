package builtin

import (
	_ "embed"
	"strings"
)

// Bounds of the playable area and, inside them, of the camera position.
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

// source is the map's script. The game runs its config function in the lobby and main at game start. A test
// compares its numbers with the constants of this package.
//
//go:embed war3map.j
var source string

// script returns source with CR LF line ends, independent of the checkout.
func script() string {
	return strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\n", "\r\n")
}
