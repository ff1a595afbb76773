// Package w3map reads a Warcraft III map file (.w3m, .w3x) and derives what a lobby needs: the four
// identifiers by which clients recognise the map, its players, forces and slots, its texts and its minimap.
//
// Read returns a Map; Scripts holds the game's own scripts, which enter the checksum; Minimap and Preview
// decode pictures. Packages formats/catalogue, formats/mapconf and the `w3host map` commands call it. A map
// is an MPQ archive, usually behind a 512-byte header, which is ignored because protected maps falsify it.
//
// The package reads only the bytes it is given and never opens a path. Package mapconf finds the game's
// scripts and reads an operator's settings file for a map.
package w3map
