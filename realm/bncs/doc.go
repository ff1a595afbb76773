// Package bncs implements the protocol between Warcraft III and a realm such as a PvPGN server: frames, packets in both
// directions, logon proofs, the table of game versions and the stat string of a listed game. Package realm/session uses
// it for the client's side; tests use the server's side. It does no I/O.
//
// Integers are little-endian, except the port in a list of games. Strings are bytes terminated by NUL. A tag of four
// letters is sent as an integer, so its bytes are reversed: W3XP is "PX3W".
package bncs
