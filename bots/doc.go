// Package bots plays Warcraft III games with simulated clients: it finds
// lobbies, joins them, loads, plays, answers every turn and leaves, and it
// measures what a player feels. It is written from the client's side of the
// protocol and shares nothing with the server but the codec, so that a fault of
// the server cannot hide behind the same fault in its test.
//
// Run drives whole games.
//
// A bot is a state machine without a socket (player): bytes and times go in,
// bytes and alarms come out. A driver moves the bytes: on Linux a few epoll
// loops, elsewhere one goroutine for each connection.
package bots
