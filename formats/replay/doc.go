// Package replay reads, writes, checks and repairs recorded games (.w3g).
//
// A file is a header, then blocks of 8192 bytes, each compressed by itself.
// Decompressed and joined they are one stream: the start of the game (players,
// settings, slots), then records in the order of play (turns with the players'
// actions, chat, leaves, checksums). Integers are little-endian.
//
// Sources: "WarCraft III Replay file format description" 1.18 and "WarCraft III
// Replay action format description" 1.01, both by blue and nagger, and what
// real files of 1.02 to 2.0 hold where these are silent.
package replay
