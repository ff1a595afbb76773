// Package lobby is the waiting room of a game before its start, as a pure state machine: it decides who may join, who
// sits in which slot, when the countdown runs and when the game starts. It also relays chat during the game, because
// players and their rights stay the same.
//
// Lobby is the state of one lobby, Config its settings, and Operation a change requested by an owner, an admin or the
// program. Package game owns a Lobby for each game: it passes events in and applies the effects, which arrive through
// the Sink in the order in which they must happen.
//
// The package has no clock, socket, goroutine or log. Times are measured from the opening of the lobby, and random
// choices come from a seed, so that the same events always produce the same bytes. Invalid events are ignored; an
// operation that cannot be carried out returns a texts.Refusal. The rules are those of classic Warcraft III hosts;
// testdata has a script for each.
package lobby
