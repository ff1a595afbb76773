// Package command is the engine behind the commands of owners, admins and
// players, wherever they come from: it finds a line in a table, checks who may
// use it and when, reads the arguments, has it carried out, and says in one
// sentence what to type instead where something is wrong.
//
// A table belongs to the thing that its commands act on: game has that of a game.
package command

import "w3host/texts"

// Level says which commands somebody may use; each level includes those before it.
type Level uint8

// Levels.
const (
	Anyone  Level = iota // anyone in the game
	Trusted              // by admins: spared what rules and votes do to others
	StandIn              // for an owner who is not in; see lobby.Lobby.StandIn
	Owner                // of the lobby
	Admin
	Root // the operator of the host
)

// String names the level in "you must be …".
func (l Level) String() string {
	return [...]string{"a player", "a trusted player", "the owner or a stand-in", "the owner", "an admin", "root"}[l]
}

// In names it in a language.
func (l Level) In(lang texts.Language) string { return texts.Known(l.String()).In(lang) }

// Phase is when a command makes sense; a set.
type Phase uint8

// Phases.
const (
	InLobby Phase = 1 << iota
	InGame
	Outside // of all games: on the console or a realm

	Anywhere Phase = 0
	Always         = InLobby | InGame
)

// Has reports whether a command makes sense in one phase.
func (p Phase) Has(one Phase) bool { return p == Anywhere || p&one != 0 }

// String names the phase in "start is for the …".
func (p Phase) String() string {
	return [...]string{InLobby: "lobby", InGame: "game", Always: "lobby and the game"}[p]
}

// In names it in a language.
func (p Phase) In(l texts.Language) string { return texts.Known(p.String()).In(l) }

// Uses are some uses of a command.
type Uses uint8

// Uses.
const (
	None   Uses = iota
	Asking      // without arguments
	All
)
