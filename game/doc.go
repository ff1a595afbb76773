// Package game is one game from its first join to its last leave, as a pure
// state machine: it composes the lobby, the map transfers and the turns, and
// holds the rules between them.
//
// Each event outside is an Input of Step: a packet, a lost connection, a
// command, the passing of time. Each effect outside is in Out: bytes
// for seats, orders about links, and Facts for observers (log, game log,
// replay). There is no clock, socket, goroutine, log or file here, and the same
// inputs give the same bytes; that is what Journal and Rerun rely on.
//
// A seat is a player's place for the life of the game. A link is what carries
// that player: a TCP connection. The host maps links to sockets and knows
// nothing else of players.
package game
