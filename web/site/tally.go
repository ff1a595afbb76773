package site

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"w3host/storage"
	"w3host/web/view"
)

// tally counts the results of a player for one race, map, opponent or ally.
type tally struct {
	Name, Link string
	Won, Lost  int
}

func (t tally) games() int { return t.Won + t.Lost }

// Share is the share of games won in percent; empty where there are too few.
func (t tally) Share() string {
	if t.games() < leastShare {
		return ""
	}
	return fmt.Sprint((100*t.Won + t.games()/2) / t.games())
}

// tallies counts results by what they have in common: a race, a map, an opponent or an ally.
type tallies map[string]tally

// add counts a match with the result of the player.
func (t tallies) add(name, link, letter string) {
	one := t[name]
	one.Name, one.Link = name, link
	switch letter {
	case "W":
		one.Won++
	case "L", "Q":
		one.Lost++
	}
	t[name] = one
}

// count sums up the latest matches of a player.
func (d *playerData) count(f *frame, matches []storage.PublicMatch, nameKey, realm string) {
	race, played, met, with := tallies{}, tallies{}, tallies{}, tallies{}
	for i := range matches {
		m := &matches[i]
		at := slices.IndexFunc(m.Seats, func(p storage.PublicSeat) bool { return p.NameKey == nameKey && p.Realm == realm })
		if at < 0 {
			continue
		}
		me := &m.Seats[at]
		d.Name = me.Name
		if d.Last.Before(m.EndedAt) {
			d.Last = m.EndedAt
		}
		letter := letterOf(m, me)
		race.add(f.race(me.Race), "", letter)
		played.add(kindOf(m.MapName), f.site.mapLink(m.MapName), letter)
		against := countOthers(f, m, at, letter, met, with)
		if len(d.List) < mostListed {
			one := playedView{resultView: f.result(m), Letter: letter, Against: strings.Join(against, ", ")}
			if letter != "" {
				l := f.letter(letter)
				one.State, one.Word = l.State, l.Word
			}
			d.List = append(d.List, one)
		}
	}
	d.ByRace, d.ByMap, d.Met, d.With = most(race, mostMet), most(played, mostMet), most(met, mostMet), most(with, mostMet)
}

// countOthers counts a match for the opponents and allies of the player in a seat, and returns the names of the opponents.
func countOthers(f *frame, m *storage.PublicMatch, seat int, letter string, met, with tallies) (against []string) {
	me := &m.Seats[seat]
	for i := range m.Seats {
		p := &m.Seats[i]
		if i == seat || observes(m, p) {
			continue
		}
		others := with
		if p.Team != me.Team {
			against = append(against, f.called(p))
			others = met
		}
		if p.Name != "" {
			others.add(view.Visible(p.Name), linkOf(p), letter)
		}
	}
	return against
}

// most returns the n tallies with the most games.
func most(all tallies, n int) []tally {
	list := slices.SortedFunc(maps.Values(all), func(a, b tally) int { return cmp.Or(cmp.Compare(b.games(), a.games()), cmp.Compare(a.Name, b.Name)) })
	list = slices.DeleteFunc(list, func(t tally) bool { return t.games() == 0 })
	return list[:min(len(list), n)]
}
