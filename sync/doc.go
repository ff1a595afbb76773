// Package gamesync is one game from the start of loading to its end: loads,
// turns, lag screen, votes, leaves and the compare of sync hashes.
//
// It is a pure state machine. The caller says what has happened and when, and
// gets a list of effects to carry out in order. There is no clock, no
// goroutine and no I/O here, and the same calls give the same bytes. now is
// the time since the host sent 0x0B, on a monotonic clock.
//
// A caller arms one timer with Next and calls Tick when it fires. Effects, and the
// bytes in them, are valid until a call that is given no effects to append to: the
// next of these may use their memory again.
//
// The rules and the choices behind them are told in docs/game-loop.md.
package gamesync
