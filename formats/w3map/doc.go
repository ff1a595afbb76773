// Package w3map turns a Warcraft III map file into what a lobby needs: its four identifiers, its players, forces and
// slots, its texts and its minimap.
//
// A map is an MPQ archive, mostly behind a 512-byte header that protected maps falsify; nothing here relies on it. The
// package reads the bytes it is given and opens no path; package mapconf finds the game's own scripts and reads an
// operator's file about a map.
package w3map
