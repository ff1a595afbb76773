// Package autohost decides which lobby a host opens next: its entry, its name
// and its map. It opens nothing itself; the host reports to it what became of each.
package autohost

import (
	"slices"

	"w3host/game"
)

// Entry is a kind of game of which a lobby is to be open always.
type Entry struct {
	// Name is that of its games; {n} in it is the number of the game, which
	// stands behind the name from the second on where there is no {n}. An entry is
	// known by it.
	Name     string
	Lobbies  int   // open at the same time
	MaxGames int   // lobbies and running games together
	Hours    Hours // when lobbies are opened; empty: always
	Maps     []Choice
	Rotation Rotation
	Setup    game.Config // of its games
}

// Choice is a map, or several, that an entry may play.
type Choice struct {
	Map    string // a name, a path, or what else the host can expand
	Weight int    // of a random choice
}

// Rotation is how the next map is chosen.
type Rotation uint8

// Rotations.
const (
	InOrder Rotation = iota
	AtRandom
	ByVote // of the players; without votes at random
)

var rotations = []string{"order", "random", "vote"}

// Rotations lists the words for them.
func Rotations() []string { return slices.Clone(rotations) }

// ParseRotation reads one of the words.
func ParseRotation(word string) (Rotation, bool) {
	i := slices.Index(rotations, word)
	return Rotation(max(i, 0)), i >= 0
}

// String is the word for it.
func (r Rotation) String() string { return rotations[r] }
