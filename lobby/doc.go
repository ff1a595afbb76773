// Package lobby is the game before it starts, as a pure state machine. It decides who
// may join, who sits where, who hears whom, when the countdown runs and when it
// ends in a start. It also relays chat in the game, since the players and their
// rights are the same.
//
// Events go in, effects come out, in the order in which the host must apply
// them. There is no clock, socket, goroutine or log here; "now" is the time
// since the lobby opened and random choices come from a seed, so the same events
// give the same bytes. Events that nobody may cause are ignored without an answer; a
// wish of an operator that cannot be granted gives a texts.Refusal, a sentence to show.
//
// The rules are those of classic Warcraft III hosts; testdata holds a script for
// each.
package lobby
