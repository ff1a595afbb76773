// Package gamesync runs the loop of one game, from the start of loading to its end: loads,
// turns, lag screen, votes, leaves and the compare of sync hashes.
//
// A Loop is a pure state machine. The caller says by its methods what has happened and when;
// what follows goes to the caller's Sink. A method about a pid that is not in the game does
// nothing, nor does one after the end. The package has no clock, no
// goroutine and no I/O, and the same calls give the same bytes. now is
// the time since the host sent 0x0B, on a monotonic clock.
//
// A caller arms one timer with Next and calls Tick when it fires.
//
// docs/game-loop.md gives the rules and the reasons for them.
package gamesync
