// Package gamesync runs the loop of one game, from the start of loading to its end: loads,
// turns, lag screen, votes, leaves and the compare of sync hashes.
//
// A Loop is a pure state machine. The caller says what has happened and when, and
// gets a list of effects to carry out in order. The package has no clock, no
// goroutine and no I/O, and the same calls give the same bytes. now is
// the time since the host sent 0x0B, on a monotonic clock.
//
// A caller arms one timer with Next and calls Tick when it fires. Effects, and the
// bytes in them, are valid until a call that is given no effects to append to: the
// next of these may use their memory again.
//
// docs/game-loop.md gives the rules and the reasons for them.
package gamesync
