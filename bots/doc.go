// Package bots plays Warcraft III games against a host with simulated clients and measures the host: turn intervals,
// delays, missed turns and violations of the protocol. Run is the entry point: its bots find lobbies, join, load, play,
// answer every turn, leave, and the result is a Report. Options and Conduct say what they do. The caller is `w3host
// bots`, and tests.
//
// The bots implement the client's side of the protocol and share only the packet codec (package w3gs) with the host, so
// that a mistake in the host is not repeated in its test. They never simulate the game itself: a hash (gameState)
// replaces it.
//
// A bot is a state machine without a socket (player): bytes and times go in, bytes and alarms come out. A loop moves the
// bytes between players and connections: on Linux it waits with epoll, elsewhere one goroutine reads each connection.
package bots
