package autohost

import (
	"slices"

	"w3host/game"
	"w3host/texts"
)

// rotation is the order of an entry's maps at the time one of them was played in its turn: the next map comes first, the
// played one last.
type rotation []string

// from rotates the current list of maps so that the next map comes first.
func (r rotation) from(all []string) rotation {
	at := 0
	for _, file := range r {
		if found := slices.Index(all, file); found >= 0 {
			at = found
			break
		}
	}
	if len(r) > 0 {
		if last := slices.Index(all, r[len(r)-1]); last >= 0 {
			at = last + 1
		}
	}
	return slices.Concat(all[at:], all[:at])
}

// behind returns the rotation after a lobby with map file has opened. If the map was chosen by command, the rotation
// moves on only if that map was next anyway.
func (r rotation) behind(file, chosen string) rotation {
	i := slices.Index(r, file)
	if i > 0 && file == chosen {
		i = -1
	}
	return slices.Concat(r[i+1:], r[:i+1])
}

// maps returns the maps for the next lobby of an entry, the preferred one first; the others follow in case it cannot be
// hosted. order is the rotation without a chosen map, or nil unless maps are played in order.
func (k *Keeper) maps(s *state) (all []string, order rotation) {
	if s.Rotation != InOrder {
		all = k.shuffled(s)
	} else {
		order = s.rotation.from(expandAll(s.Maps, k.expand))
		all = order
	}
	if votes := k.tally(s); s.Rotation == ByVote && len(votes) > 0 {
		all = first(votes[0].Map, all)
	}
	if s.next != "" {
		all = first(s.next, all)
	}
	return all, order
}

// first moves file to the front of all.
func first(file string, all []string) []string {
	return append([]string{file}, slices.DeleteFunc(slices.Clone(all), func(f string) bool { return f == file })...)
}

// expandAll returns the maps of all choices in their order, without duplicates.
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

// shuffled returns the maps in random order, weighted by their choices, with the last played map at the end.
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

// entryOf returns the entry of a game. Without a game, or for a game without an entry, it returns the only entry there
// is.
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

// Upcoming returns the maps for the next lobby of an entry, the preferred one first, and the setup of its games.
func (k *Keeper) Upcoming(id uint32) (files []string, setup game.Config, err error) {
	s, err := k.entryOf(id)
	if err != nil {
		return nil, setup, err
	}
	files, _ = k.maps(s)
	return files, s.Setup, nil
}

// SetNext chooses the map of an entry's next lobby or, with always, of all later lobbies until another is chosen or the
// configuration is reloaded.
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

// Change modifies an entry until the configuration is reloaded. It returns an error if change gives the entry the name
// of another one.
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
