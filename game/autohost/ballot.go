package autohost

import (
	"cmp"
	"slices"
	"strings"

	"w3host/texts"
)

// mostNamed is how many maps an answer names.
const mostNamed = 10

// Ballot lists the maps for which players may vote as the next of an entry. Its methods need no
// Keeper: a folder may hold thousands of maps, and others wait for the Keeper.
type Ballot struct {
	choices []Choice
	expand  func(choice string) []string
	tally   []Votes
	closed  bool
}

// Votes are those for a map.
type Votes struct {
	Map   string
	Count int
}

// voter is a player of a lobby or game.
type voter struct {
	game uint32
	name string // in small letters
}

// Ballot returns what the players of a game may vote for.
func (k *Keeper) Ballot(id uint32) (Ballot, error) {
	s, err := k.entryOf(id)
	if err != nil {
		return Ballot{}, err
	}
	return Ballot{slices.Clone(s.Maps), k.expand, k.tally(s), s.Rotation != ByVote}, nil
}

// List lists the maps with their votes, the most first.
func (b *Ballot) List() []Votes {
	list, voted := slices.Clone(b.tally), make(map[string]bool)
	for _, v := range list {
		voted[v.Map] = true
	}
	for _, file := range expandAll(b.choices, b.expand) {
		if !voted[file] {
			list = append(list, Votes{Map: file})
		}
	}
	return list
}

// Find returns the one map that a part of a name means, or says what else could be
// meant.
func (b *Ballot) Find(part string) (file string, err error) {
	if b.closed {
		return "", texts.Of("the next map is not decided by vote here")
	}
	all := expandAll(b.choices, b.expand)
	var hits []string
	for _, file := range all {
		if strings.EqualFold(file, part) {
			return file, nil
		}
		if strings.Contains(strings.ToLower(file), strings.ToLower(part)) {
			hits = append(hits, file)
		}
	}
	switch {
	case len(hits) == 0:
		return "", texts.Of("no map on the ballot matches %q: %v", part, some(all))
	case len(hits) > mostNamed:
		return "", texts.Of("%q could be %v: type more of the name", part, some(hits))
	case len(hits) > 1:
		return "", texts.Of("%q could be %v: type more of the name", part, texts.Either(hits))
	}
	return hits[0], nil
}

// some names a few of many maps.
func some(files []string) texts.Text {
	items := make([]texts.Text, 0, mostNamed+1)
	for _, file := range files[:min(len(files), mostNamed)] {
		items = append(items, texts.Plain(file))
	}
	if more := len(files) - mostNamed; more > 0 {
		items = append(items, texts.Of("and %d more", more))
	}
	return texts.Join(items, ", ")
}

// Vote counts a player's vote, in place of an earlier one, for a map that Ballot.Find
// has returned. It counts while the player is in the game.
func (k *Keeper) Vote(id uint32, who, file string) error {
	s, err := k.entryOf(id)
	if err != nil {
		return err
	}
	if !k.seated(id, who) {
		return texts.Of("only players in a lobby or game can vote for its next map")
	}
	k.tally(s)
	s.votes[voter{id, strings.ToLower(who)}] = file
	return nil
}

// tally counts the votes of players who are still seated, the most first, and forgets
// those of others.
func (k *Keeper) tally(s *state) (list []Votes) {
	count := make(map[string]int)
	for v, file := range s.votes {
		if !k.seated(v.game, v.name) {
			delete(s.votes, v)
			continue
		}
		count[file]++
	}
	for file, n := range count {
		list = append(list, Votes{file, n})
	}
	slices.SortFunc(list, func(a, b Votes) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Map, b.Map)) })
	return list
}
