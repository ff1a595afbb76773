// Package bots plays Warcraft III games with simulated clients and measures them:
// Run finds lobbies, joins, loads, plays, answers every turn and leaves. The bots
// are written from the client's side of the protocol and share only the codec with
// the server, so that a fault of the server is not repeated in its test.
//
// A bot is a state machine without a socket (player): bytes and times go in,
// bytes and alarms come out. A loop moves the bytes: on Linux it waits with epoll,
// elsewhere one goroutine reads each connection for it.
package bots
