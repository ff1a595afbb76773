// Package autohost decides which lobby a host opens next: for which [[autohost]] entry, under which name and with which
// map.
//
// An Entry is a kind of game that should always have open lobbies. The Keeper counts the lobbies and games of all
// entries; package host asks it for the next Order, opens the lobby and reports what became of it. With several hosts on
// one database the Keeper needs a lease (package fleet) for each lobby. The package opens nothing itself and does no
// I/O.
package autohost

import (
	"slices"

	"w3host/game"
)

// Entry is a kind of game for which lobbies are kept open.
type Entry struct {
	// Name is the name of its games and identifies the entry. {n} in it is replaced by the number of the game; without
	// {n} the number is appended from the second game on.
	Name     string
	Lobbies  int   // number of lobbies to keep open
	MaxGames int   // maximum number of lobbies and running games
	Hours    Hours // when lobbies are opened; empty means always
	Maps     []Choice
	Rotation Rotation
	Setup    game.Config // configuration of its games
}

// Choice is one or several maps that an entry may play.
type Choice struct {
	Map    string // a name, a path, or a pattern that the host can expand
	Weight int    // weight in a random choice
}

// Rotation is how an entry's next map is chosen.
type Rotation uint8

// The values of Rotation.
const (
	InOrder Rotation = iota
	AtRandom
	ByVote // players vote; without votes at random
)

var rotations = []string{"order", "random", "vote"}

// Rotations returns the names of the rotations in the configuration.
func Rotations() []string { return slices.Clone(rotations) }

// ParseRotation parses the name of a rotation.
func ParseRotation(word string) (Rotation, bool) {
	i := slices.Index(rotations, word)
	return Rotation(max(i, 0)), i >= 0
}

// String returns the name of the rotation.
func (r Rotation) String() string { return rotations[r] }
