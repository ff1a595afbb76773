// Package game is one game from its first join to its last leave, as a pure state machine. It combines the lobby
// (package lobby), the map transfers (mapxfer) and the turns (sync), and contains the rules between them.
//
// A Machine takes Inputs through Step: a packet, a lost connection, a command, the passing of time. It appends its
// outputs to an Out: orders to the host (Op) such as packets to send, and Facts for observers such as the game log and
// the replay. Package host runs one Machine per game on a goroutine of its own.
//
// There is no clock, socket, goroutine, log or file here, and the same inputs always produce the same bytes: Journal and
// RunJournal rely on that.
//
// A seat is a player's place for the life of the game. A link is the connection that carries the player; the host maps
// links to sockets and knows nothing else about players.
package game
