package main

import (
	"fmt"
	"time"

	"w3host/daemon"
	"w3host/storage"
	"w3host/web/site"
)

// rebuildLadders makes the tables of all ladders and seasons again from the stored games.
func (c *dbCall) rebuildLadders(db *storage.Store) error {
	set, faults := readConfig(c.file)
	if err := faults.ErrorOrNil(); err != nil {
		return err
	}
	list := daemon.Ladders(set)
	if list == nil {
		var err error
		if list, err = daemon.OwnLadders(c.ctx, db, set.Public.LAN); err != nil {
			return err
		}
	}
	games, err := c.rebuildEach(db, list)
	if err != nil {
		return err
	}
	return c.audit(db, "", fmt.Sprintf("rebuild ladders from %d games", games))
}

func (c *dbCall) rebuildEach(db *storage.Store, list []site.Ladder) (games int64, err error) {
	for _, l := range list {
		n, err := db.RebuildLadder(c.ctx, l.Ladder, time.Now())
		if err != nil {
			return games, err
		}
		games += n
		fmt.Fprintf(c.stdout, "The ladder %s was rebuilt from %d games.\n", l.Slug, n)
	}
	if len(list) == 0 {
		fmt.Fprintln(c.stdout, "There is no ladder.")
	}
	return games, nil
}
