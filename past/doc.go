// Package past feeds a client that joins after the start with the game so far: the
// greeting of the start, then every turn in its order, as fast as the client answers.
//
// Turns are never merged and increments never altered: each 0x48, 0x0C, empty 0x0C and 0x07
// is sent alone, as the players got it, since clients compute the game from them. The actions
// of a newcomer are thrown away; its hashes are compared with those of the players.
//
// A Tape is the record of a game as frames, which all who watch it share. A Client is one
// newcomer: packets in, frames out. It knows no clock and no socket.
package past
