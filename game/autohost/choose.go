package autohost

import (
	"slices"

	"w3host/game"
	"w3host/texts"
)

// maps are the maps for the next lobby of an entry, the one to be tried first at
// the front. The others follow, so that a broken one only is skipped.
func (k *Keeper) maps(s *state) []string {
	var all []string
	if s.Rotation != InOrder {
		all = k.shuffled(s)
	} else if all = expandAll(s.Maps, k.expand); len(all) > 0 {
		at := s.turn % len(all)
		all = slices.Concat(all[at:], all[:at])
	}
	if votes := k.tally(s); s.Rotation == ByVote && len(votes) > 0 {
		all = first(votes[0].Map, all)
	}
	if s.next != "" {
		all = first(s.next, all)
	}
	return all
}

// first puts a map before the others.
func first(file string, all []string) []string {
	return append([]string{file}, slices.DeleteFunc(all, func(f string) bool { return f == file })...)
}

// expandAll lists the maps of choices in their order, each once.
func expandAll(choices []Choice, expand func(string) []string) (list []string) {
	listed := make(map[string]bool)
	for _, c := range choices {
		for _, file := range expand(c.Map) {
			if !listed[file] {
				listed[file] = true
				list = append(list, file)
			}
		}
	}
	return list
}

// shuffled draws the maps by the weights of their choices; the map that was
// played last comes at the end.
func (k *Keeper) shuffled(s *state) (list []string) {
	type lot struct {
		weight int
		files  []string
	}
	var lots []lot
	total := 0
	for _, c := range s.Maps {
		if files := k.expand(c.Map); len(files) > 0 && c.Weight > 0 {
			lots = append(lots, lot{c.Weight, slices.Clone(files)})
			total += c.Weight
		}
	}
	for total > 0 {
		n, i := k.random.IntN(total), 0
		for ; n >= lots[i].weight; i++ {
			n -= lots[i].weight
		}
		l := &lots[i]
		j := k.random.IntN(len(l.files))
		list = append(list, l.files[j])
		last := len(l.files) - 1
		l.files[j] = l.files[last]
		if l.files = l.files[:last]; last == 0 {
			total -= l.weight
			lots = slices.Delete(lots, i, i+1)
		}
	}
	if i := slices.Index(list, s.last); i >= 0 {
		list = append(slices.Delete(list, i, i+1), s.last)
	}
	return list
}

// entryOf is the entry of a game; without a game, or with one of no entry, the
// only one that there is.
func (k *Keeper) entryOf(id uint32) (*state, error) {
	if g := k.games[id]; g != nil && g.of != nil {
		return g.of, nil
	}
	switch len(k.entries) {
	case 0:
		return nil, texts.Of("there are no autohost entries")
	case 1:
		return k.entries[0], nil
	}
	return nil, texts.Of("there are several autohost entries: use the command in a lobby of the one you mean, or put eg <id> before it")
}

// Upcoming are the maps for the next lobby of an entry, the one to be tried first
// at the front, and the setup of its games.
func (k *Keeper) Upcoming(id uint32) (files []string, setup game.Config, err error) {
	s, err := k.entryOf(id)
	if err != nil {
		return nil, setup, err
	}
	return k.maps(s), s.Setup, nil
}

// SetNext chooses the map of an entry's next lobby, or of all that follow until another
// is chosen or the configuration is read again.
func (k *Keeper) SetNext(id uint32, file string, always bool) (entry string, err error) {
	s, err := k.entryOf(id)
	if err != nil {
		return "", err
	}
	s.next, s.always = file, always
	return s.Name, nil
}

// Turn switches all entries on or off.
func (k *Keeper) Turn(on bool) {
	for _, s := range k.entries {
		s.off = !on
	}
}

// Change lets commands change an entry; until the configuration is read again.
func (k *Keeper) Change(id uint32, change func(*Entry)) error {
	s, err := k.entryOf(id)
	if err != nil {
		return err
	}
	e := s.Entry
	change(&e)
	for _, other := range k.entries {
		if other != s && other.Name == e.Name {
			return texts.Of("another entry is called %q", e.Name)
		}
	}
	s.Entry, s.off = e, false
	return nil
}
