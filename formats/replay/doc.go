// Package replay reads, writes, verifies, repairs, summarises and anonymises recorded games (.w3g).
//
// A file consists of a header and blocks of 8192 bytes that are compressed independently. The uncompressed
// blocks form a stream: the start of the game (players, settings, slots), then records in order of play
// (turns with the players' actions, chat, leaves, checksums). Integers are little-endian.
//
// Reader iterates over the records of a file, Writer records a running game, and Summary describes a whole
// replay. Package record/recording, package formats/savedgame and the `w3host replay` commands use them. The
// package opens no files itself and knows nothing of live games.
//
// Sources: "WarCraft III Replay file format description" 1.18 ("the document" in comments) and "WarCraft III
// Replay action format description" 1.01 ("the actions document"), both by blue and nagger; where they are
// silent, real files of 1.02 to 2.0.
package replay
