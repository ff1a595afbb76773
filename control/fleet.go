package control

import (
	"context"
	"slices"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/storage"
	"w3host/texts"
)

// fleetTimeout bounds the wait for other hosts.
const fleetTimeout = 5 * time.Second

// Fleet are the other hosts that share the database.
type Fleet interface {
	// Number is this host's.
	Number() int
	// Games lists the lobbies and games of the others.
	Games(ctx context.Context) ([]storage.FleetGame, error)
	// Order has a host carry out a line of the caller, in the game with that number, or outside of games if
	// it is 0. The answers come within fleetTimeout, or one that says that there are none.
	Order(ctx context.Context, host int, by *command.Caller, game uint32, line string) error
	// Place has room kept for one more lobby among those of all hosts, until opened is called. It
	// fails where there is none.
	Place(ctx context.Context) (opened func(), err error)
}

// placeTimeout bounds the wait of the other callers while one opens a lobby.
const placeTimeout = 2 * time.Second

// place is Fleet.Place, and nothing for a host that is alone.
func (d *target) place() (opened func(), err error) {
	if d.opts.Fleet == nil {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), placeTimeout)
	defer cancel()
	return d.opts.Fleet.Place(ctx)
}

// Relay carries out a line that a caller has given on another host.
func (o *Operator) Relay(ctx context.Context, by *command.Caller, game uint32, line string) error {
	return o.order(ctx, by, request{game: game, line: line, relayed: true})
}

// here reports whether a number of a host, 0 for none, means this one. If it means another,
// the function there is called instead. It fails where there are no others.
func (d *target) here(host int, there func()) (bool, error) {
	switch {
	case host == 0:
		return true, nil
	case d.fleet() == nil:
		return false, cannot("this host is not part of a fleet: leave out the host number")
	case host != d.fleet().Number():
		there()
		return false, nil
	}
	return true, nil
}

// fleet are the other hosts; nil: there are none, or another host has passed the line on.
func (d *target) fleet() Fleet {
	if d.relayed {
		return nil
	}
	return d.opts.Fleet
}

// later does the work that waits for the database, behind the answers of this host. An error is the
// caller's answer.
func (d *target) later(c *call, do func(ctx context.Context) error) {
	given := c.Pending()
	go func() { // ends with the timeout, at the latest
		defer given()
		ctx, cancel := context.WithTimeout(context.Background(), fleetTimeout)
		defer cancel()
		if err := do(ctx); err != nil {
			deny(c.Caller, err)
		}
	}()
}

// describeElsewhere is the line of a lobby or game of another host.
func describeElsewhere(g *storage.FleetGame) texts.Text {
	state := texts.Of("lobby, %v", playerCount(len(g.Players)))
	if g.Playing {
		state = texts.Of("game, %v, %v", playerCount(len(g.Players)), time.Since(g.Since).Round(time.Second))
	}
	text := texts.Of("#%d-%d %q: %v, %s", g.Host, g.ID, g.Name, state, g.Map)
	if g.Private && !g.Playing {
		text = texts.Of("%v, not listed", text)
	}
	return text
}

// gamesElsewhere adds the lobbies and games of other hosts to a list.
func (d *target) gamesElsewhere(c *call) {
	if d.fleet() == nil {
		return
	}
	d.later(c, func(ctx context.Context) error {
		list, err := d.fleet().Games(ctx)
		if err != nil {
			answer(c, "The other hosts are unknown: the database does not answer.")
		}
		var items []texts.Text
		for _, g := range list {
			if c.Level >= command.Admin || !g.Private && !g.Playing {
				items = append(items, describeElsewhere(&g))
			}
		}
		if items != nil {
			d.answerList(c, items)
		}
		return nil
	})
}

// gameElsewhere shows one lobby or game of another host.
func (d *target) gameElsewhere(c *call, host int, id uint32) {
	d.later(c, func(ctx context.Context) error {
		list, err := d.fleet().Games(ctx)
		i := slices.IndexFunc(list, func(g storage.FleetGame) bool { return g.Host == host && g.ID == id })
		switch {
		case err != nil:
			return cannot("the other hosts are unknown: the database does not answer")
		case i < 0:
			return cannot("host %d has no game %d", host, id)
		}
		answerGame(c, describeElsewhere(&list[i]), list[i].Players)
		return nil
	})
}

// pass has another host carry out a line.
func (d *target) pass(c *call, host int, game uint32, line string) {
	d.later(c, func(ctx context.Context) error { return d.fleet().Order(ctx, host, c.Caller, game, line) })
}

// passToAll has all other hosts carry out a line.
func (d *target) passToAll(c *call, line string) {
	d.later(c, func(ctx context.Context) error { // host 0 is every other
		if err := d.fleet().Order(ctx, 0, c.Caller, 0, line); err != nil {
			answer(c, "The other hosts are unknown: the database does not answer.")
		}
		return nil
	})
}

// whisperElsewhere passes a whisper on to the host of the player. Where the name ends and the
// text begins is known there, as names may have spaces.
func (d *target) whisperElsewhere(c *call, whole string) {
	part, _, _ := strings.Cut(whole, " ")
	d.later(c, func(ctx context.Context) error {
		list, err := d.fleet().Games(ctx)
		host := 0
		for _, g := range list {
			if slices.ContainsFunc(g.Players, func(name string) bool { return strings.Contains(strings.ToLower(name), strings.ToLower(part)) }) {
				host = g.Host
			}
		}
		switch {
		case err != nil:
			return err
		case host == 0:
			return cannot("no player matches %q", part)
		}
		return d.fleet().Order(ctx, host, c.Caller, 0, "w "+whole)
	})
}
