package control

import (
	"time"

	"w3host/game/autohost"
	"w3host/texts"
)

// nextMap sets the next map of the caller's autohost entry; always: and all later maps.
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

// showMap lists the current and next maps of all entries.
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

// status returns the state of all autohost entries.
func (d *target) status() (list []autohost.Status) {
	d.host().Keep(func(k *autohost.Keeper) { list = k.Status(time.Now()) })
	return list
}

// ballot returns the maps that the players of the caller's game can vote for.
func (d *target) ballot() (b autohost.Ballot, err error) {
	d.host().Keep(func(k *autohost.Keeper) { b, err = k.Ballot(d.id) })
	return b, err
}

// votes lists the maps that players can vote for, with the votes for each.
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

// vote counts the caller's vote for the map that part identifies.
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

// autohosting shows or changes what autohost opens: nothing, "on", "off", or an entry's limits and name.
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

// showEntries lists the lobbies and games of all entries.
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

// turn turns autohost on or off.
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

// disable ends or allows the opening of new lobbies.
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
