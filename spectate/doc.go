// Package spectate lets spectators watch a game after its start. It sends a joining client the lobby as of the
// start, and then every turn in order, as fast as the client can process them.
//
// Recording is the recorded game as packets, shared by all its spectators. Client is one spectator: packets in,
// packets out. Package host/watch runs both for live and recorded games, and `w3host lan watch` for files. The
// package has no clock, sockets or goroutines.
//
// Turns are never merged and increments never changed, because clients compute the game from them: each 0x48,
// 0x0C, empty 0x0C and 0x07 is sent exactly as the players received it. A spectator's actions are ignored,
// and its hashes are compared with those of the players.
package spectate
