package control

import (
	"fmt"
	"strings"
	"time"

	"w3host/game/autohost"
	"w3host/game/command"
	"w3host/texts"
)

func nextMap(pattern string, always bool) act {
	return func(d *target, c *call) (err error) {
		file, err := d.opts.Maps.Find(pattern)
		if err != nil {
			return err
		}
		entry := ""
		d.host().Keep(func(k *autohost.Keeper) { entry, err = k.SetNext(d.id, file, always) })
		if err != nil {
			return err
		}
		c.Target = entry
		d.host().Reopen(entry, "the next map is "+file)
		if always {
			answer(c, "The next map of %q and all later ones are %s.", entry, file)
		} else {
			answer(c, "The next map of %q is %s.", entry, file)
		}
		return nil
	}
}

func showMap(d *target, c *call) error {
	var items []texts.Text
	for _, s := range d.status() {
		last, next := texts.Of("none"), texts.Of("by %v", s.Rotation)
		if s.Last != "" {
			last = texts.Plain(s.Last)
		}
		if s.Next != "" {
			next = texts.Plain(s.Next)
		}
		items = append(items, texts.Of("%q: now %v, next %v", s.Name, last, next))
	}
	return d.listEntries(c, items)
}

// listEntries answers with one line per autohost entry.
func (d *target) listEntries(c *call, items []texts.Text) error {
	if items == nil {
		return cannot("there are no autohost entries: add an [[autohost]] section to the configuration")
	}
	d.answerList(c, items)
	return nil
}

func (d *target) status() (list []autohost.Status) {
	d.host().Keep(func(k *autohost.Keeper) { list = k.Status(time.Now()) })
	return list
}

// ballot returns the maps that the players of the caller's game can vote for.
func (d *target) ballot() (b autohost.Ballot, err error) {
	d.host().Keep(func(k *autohost.Keeper) { b, err = k.Ballot(d.id) })
	return b, err
}

func votes(d *target, c *call) error {
	b, err := d.ballot()
	if err != nil {
		return err
	}
	var items []texts.Text
	for _, v := range b.List() {
		items = append(items, texts.Of("%s: %d", v.Map, v.Count))
	}
	d.answerList(c, items)
	return nil
}

func vote(part string) act {
	return func(d *target, c *call) error {
		b, err := d.ballot()
		if err != nil {
			return err
		}
		file, err := b.Find(part)
		if err != nil {
			return err
		}
		d.host().Keep(func(k *autohost.Keeper) { err = k.Vote(d.id, c.Name, file) })
		if err == nil {
			answer(c, "Your vote for the next map: %s.", file)
		}
		return err
	}
}

func autohosting(a *args) act {
	switch {
	case a.Empty():
		return showEntries
	case a.Is("off"):
		return turn(false)
	case a.Is("on"):
		return turn(true)
	}
	games, players, name := a.Number("number of games", 1, 100000), a.Number("number of players", 1, 24), a.Text("name")
	return func(d *target, c *call) error {
		c.Target = name
		var err error
		d.host().Keep(func(k *autohost.Keeper) {
			err = k.Change(d.id, func(e *autohost.Entry) {
				e.Name, e.MaxGames = name, games
				e.Setup.Lobby.Start.Humans, e.Setup.Lobby.Start.Full = players, false
			})
		})
		if err != nil {
			return err
		}
		d.host().Reopen(name, "what is hosted has changed")
		answer(c, "%q: at most %v, each starting with %v.", name, texts.Count(games, "%d game", "%d games"), playerCount(players))
		return nil
	}
}

func showEntries(d *target, c *call) error {
	var items []texts.Text
	status, entries := d.status(), []Entry{}
	for i := range status {
		entries = append(entries, EntryOf(&status[i]))
	}
	c.Give(func() any { return entries })
	for _, s := range status {
		notes := []texts.Text{texts.Of("%d open, %d playing, %d at most, %d so far", s.Open, s.Playing, s.MaxGames, s.Opened)}
		if !s.Idle.Empty() {
			notes = append(notes, s.Idle)
		}
		items = append(items, texts.Of("%q: %v", s.Name, texts.Join(notes, ", ")))
	}
	return d.listEntries(c, items)
}

func turn(on bool) act {
	return func(d *target, c *call) error {
		d.host().Keep(func(k *autohost.Keeper) { k.Turn(on) })
		if on {
			answer(c, "Autohosting is on again.")
		} else {
			answer(c, "Autohosting is off; empty lobbies close.")
		}
		return nil
	}
}

func disable(yes bool) act {
	return func(d *target, c *call) error {
		d.host().Keep(func(k *autohost.Keeper) { k.Disable(yes) })
		if d.exiting = d.exiting && yes; yes {
			answer(c, "No new lobbies will be opened.")
		} else {
			answer(c, "New lobbies will be opened again.")
		}
		return nil
	}
}

func reload(d *target, c *call) error {
	notes, err := d.opts.Reload()
	if err != nil {
		return cannot("nothing was changed: %v", err)
	}
	for _, note := range notes {
		c.Answer(note)
	}
	answer(c, "The configuration and the maps have been reloaded.")
	return nil
}

// numbers formats game numbers as a list.
func numbers(ids []uint32) string {
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf("#%d", id))
	}
	return strings.Join(list, ", ")
}

// upgrade starts the program at path in place of this one; "" means the path of the running program. Only callers with
// access to the machine may name a path.
func upgrade(path string) act {
	return func(d *target, c *call) error {
		if path != "" && c.Via != command.ViaConsole && c.Via != command.ViaControl {
			return cannot("a program can be named only on the console or with w3host ctl")
		}
		given := c.Pending()
		err := d.opts.Upgrade(path, c.Outlive, func(u Upgraded, err error) {
			defer given()
			switch {
			case err != nil:
				deny(c.Caller, cannot("cannot upgrade: %v", err))
				return
			case len(u.Behind) > 0:
				deny(c.Caller, cannot("the new version hosts, but these games have not moved to it yet: %v", numbers(u.Behind)))
			case u.Moved:
				answer(c, "Upgraded: the new version hosts, and the running games have moved to it.")
			default:
				answer(c, "Upgrade started; each running game moves to the new version at its next turn.")
			}
			if len(u.Stay) > 0 {
				answer(c, "%v in the old process to the end: %v", texts.Count(len(u.Stay), "%d game stays", "%d games stay"), numbers(u.Stay))
			}
		})
		if err != nil {
			given()
			return cannot("cannot upgrade: %v", err)
		}
		return nil
	}
}
