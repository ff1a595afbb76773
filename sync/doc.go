// Package gamesync implements the turn loop of one game, from the start of loading to its end: loading,
// turns, the lag screen, votes, leaves and desync detection.
//
// Loop is a pure state machine, Config its settings and Sink the receiver of its output. The game machine in
// package game owns a Loop. It reports events with their time through methods, and the Loop calls the Sink
// before a method returns. Methods ignore pids that are not in the game, and all calls after the end. The
// package has no clock, goroutines or I/O, so the same calls always produce the same bytes. The parameter now
// is the monotonic time since the loop started.
//
// The caller arms a single timer with Next and calls Tick when it fires. docs/game-loop.md describes the
// rules and their reasons.
package gamesync
