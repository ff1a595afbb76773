// Package bncs is the protocol between Warcraft III and a realm, such as a
// PvPGN server: frames, packets in both directions, the log-on proofs, the table
// of versions and the stat string of a listed game.
//
// Integers are little-endian, except the port in a list of games. Strings are
// bytes up to a NUL. A tag of four letters travels as an integer, so its bytes
// come reversed: W3XP is "PX3W".
package bncs
