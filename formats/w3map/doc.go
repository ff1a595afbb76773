// Package w3map turns a Warcraft III map file into what a lobby needs: its four identifiers, its players, forces and
// slots, its texts and its minimap.
//
// A map is an MPQ archive, mostly behind a 512-byte header that protected maps falsify; nothing here relies on it. The
// package reads what it is given and opens no path; where the game's own scripts are found and what an operator's file
// says about a map is the business of package mapconf.
package w3map
