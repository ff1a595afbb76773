package autohost

import (
	"cmp"
	"slices"
	"strings"

	"w3host/texts"
)

// mostNamed is the number of maps that an answer lists.
const mostNamed = 10

// Ballot is the list of maps that players can vote for as the next map of an entry. Its methods do not use the Keeper,
// so that other callers do not wait for them: a folder may hold thousands of maps.
type Ballot struct {
	choices []Choice
	expand  func(choice string) []string
	tally   []Votes
	closed  bool
}

// Votes is the number of votes for a map.
type Votes struct {
	Map   string
	Count int
}

// voter identifies a player of a lobby or game.
type voter struct {
	game uint32
	name string // in lower case
}

// Ballot returns the maps that the players of a game can vote for.
func (k *Keeper) Ballot(id uint32) (Ballot, error) {
	s, err := k.entryOf(id)
	if err != nil {
		return Ballot{}, err
	}
	return Ballot{slices.Clone(s.Maps), k.expand, k.tally(s), s.Rotation != ByVote}, nil
}

// List returns the maps with their votes, most votes first.
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

// Find returns the only map whose name contains part. Its error, for players, lists the candidates.
func (b *Ballot) Find(part string) (file string, err error) {
	if b.closed {
		return "", texts.Of("the next map here is not decided by vote")
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

// some lists at most mostNamed of the maps.
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

// Vote records a player's vote, replacing an earlier one, for a map returned by Ballot.Find. The vote counts as long as
// the player stays in the game.
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

// tally counts the votes of players who are still seated, most votes first, and deletes those of others.
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
