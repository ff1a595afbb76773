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

// fleetTimeout is how long a command waits for other hosts.
const fleetTimeout = 5 * time.Second

// Fleet gives access to the other hosts that share the database.
type Fleet interface {
	// Number returns the number of this host.
	Number() int
	// Games lists the lobbies and games of the other hosts.
	Games(ctx context.Context) ([]storage.FleetGame, error)
	// Order sends the caller's line to a host, for the game with that number or, if it is 0, for the host itself. Host 0
	// means all other hosts. The answers reach the caller within fleetTimeout; an error means that the host cannot be
	// reached.
	Order(ctx context.Context, host int, by *command.Caller, game uint32, line string) error
	// Place reserves one lobby within the fleet-wide limit until opened is called. It fails if the limit is reached or
	// the database does not answer.
	Place(ctx context.Context) (opened func(), err error)
}

// placeTimeout is how long opening a lobby waits for Fleet.Place. Other callers wait meanwhile.
const placeTimeout = 2 * time.Second

// place calls Fleet.Place, and does nothing without a fleet.
func (d *target) place() (opened func(), err error) {
	if d.opts.Fleet == nil {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), placeTimeout)
	defer cancel()
	return d.opts.Fleet.Place(ctx)
}

// Relay executes a line that a caller gave on another host.
func (o *Operator) Relay(ctx context.Context, by *command.Caller, game uint32, line string) error {
	return o.order(ctx, by, request{game: game, line: line, relayed: true})
}

// here reports whether a host number means this host; 0 does. For another host it calls there instead. It returns an
// error if there is no fleet.
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

// fleet returns the other hosts, or nil if there are none or if the line came from another host.
func (d *target) fleet() Fleet {
	if d.relayed {
		return nil
	}
	return d.opts.Fleet
}

// later runs do, which waits for the database, in a goroutine, so that the host's own answers are not delayed. An error
// of do is sent to the caller.
func (d *target) later(c *call, do func(ctx context.Context) error) {
	given := c.Pending()
	go func() { // ends with the timeout at the latest
		defer given()
		ctx, cancel := context.WithTimeout(context.Background(), fleetTimeout)
		defer cancel()
		if err := do(ctx); err != nil {
			deny(c.Caller, err)
		}
	}()
}

// describeElsewhere returns the list line of a lobby or game on another host.
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

// gamesElsewhere answers with the lobbies and games of other hosts.
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

// gameElsewhere answers with one lobby or game of another host.
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

// pass sends a line to another host.
func (d *target) pass(c *call, host int, game uint32, line string) {
	d.later(c, func(ctx context.Context) error { return d.fleet().Order(ctx, host, c.Caller, game, line) })
}

// passToAll sends a line to all other hosts.
func (d *target) passToAll(c *call, line string) {
	d.later(c, func(ctx context.Context) error { // host 0 means all other hosts
		if err := d.fleet().Order(ctx, 0, c.Caller, 0, line); err != nil {
			answer(c, "The other hosts are unknown: the database does not answer.")
		}
		return nil
	})
}

// whisperElsewhere sends a whisper to the host of the player. The other host splits name and text, because names may
// contain spaces.
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
