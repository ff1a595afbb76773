// Package command is the engine for the text commands of owners, admins and players. It finds a line in a table of
// commands, checks level and phase, parses the arguments, runs the command, and explains mistakes to the caller in one
// sentence.
//
// A Spec describes one command, a Table is a list of them for one kind of target: package game has the table of a game,
// package control that of the host. A Caller is the person who gives a command, Args its arguments, and Query a question
// for the database. The package does no I/O and does not know what the commands do.
package command

import "w3host/texts"

// Level is a permission; each level includes those before it.
type Level uint8

// The levels, lowest first.
const (
	Anyone  Level = iota // any player
	Trusted              // exempt from lobby rules and votes
	StandIn              // stands in for an absent owner; see lobby.Lobby.StandIn
	Owner                // owner of the lobby
	Admin
	Root // operator of the host
)

// String returns the level as in "only … can use this command".
func (l Level) String() string {
	return [...]string{"a player", "a trusted player", "the owner or a stand-in", "the owner", "an admin", "root"}[l]
}

// In returns the level in a language.
func (l Level) In(lang texts.Language) string { return texts.Known(l.String()).In(lang) }

// Phase is a set of situations in which a command can be used.
type Phase uint8

// The phases.
const (
	InLobby Phase = 1 << iota
	InGame
	Outside // outside of all games: on the console or a realm

	Anywhere Phase = 0
	Always         = InLobby | InGame
)

// Has reports whether p contains the phase one.
func (p Phase) Has(one Phase) bool { return p == Anywhere || p&one != 0 }

// String returns the phase as in "the command works only in the …".
func (p Phase) String() string {
	return [...]string{InLobby: "lobby", InGame: "game", Always: "lobby and the game"}[p]
}

// In returns the phase in a language.
func (p Phase) In(l texts.Language) string { return texts.Known(p.String()).In(l) }

// Uses is a set of uses of a command.
type Uses uint8

// The values of Uses.
const (
	None   Uses = iota
	Asking      // without arguments
	All
)
