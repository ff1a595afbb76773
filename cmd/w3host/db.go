package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"w3host/record/gamelog"
	"w3host/storage"
)

const dbHelp = `w3host db rebuild results reads again what the clients of players have reported for their
maps, and makes the results of all stored games of it, as this program reads them. Then
it rebuilds the ratings. Hosts may go on meanwhile.`

func dbCommand() *cobra.Command {
	c, cmd := newDBCommand("db", "rebuild results from what maps have reported", dbHelp)
	rebuild := &cobra.Command{Use: "rebuild", Short: "make stored values again from what they are made of"}
	group(rebuild, c.does(&cobra.Command{Use: "results", Short: "make the results of all games again from the reports of their maps"}, c.none, c.rebuildResults))
	return group(cmd, rebuild)
}

// rebuildBatch is how many games are looked up together.
const rebuildBatch = 200

func (c *dbCall) rebuildResults(db *storage.Store) error {
	games, changed, partly := 0, 0, 0
	for after := (storage.GameKey{}); ; {
		keys, err := db.ReportedGames(c.ctx, after, rebuildBatch)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			break
		}
		for _, key := range keys {
			differs, whole, err := c.rebuildGame(db, key)
			if err != nil {
				return err
			}
			games++
			if differs {
				changed++
			}
			if !whole {
				partly++
			}
		}
		after = keys[len(keys)-1]
	}
	fmt.Fprintf(c.stdout, "The results of %d games were read again; those of %d have changed.\n", games, changed)
	if partly > 0 {
		fmt.Fprintf(c.stdout, "%d games were left as they were: a client reported more than is stored.\n", partly)
	}
	if changed > 0 {
		if err := c.rebuildRatings(db); err != nil {
			return err
		}
	}
	return c.audit(db, "", fmt.Sprintf("rebuild results of %d games, %d changed", games, changed))
}

// rebuildGame makes the results of one game again.
func (c *dbCall) rebuildGame(db *storage.Store, key storage.GameKey) (changed, whole bool, err error) {
	g, err := db.ReportedGame(c.ctx, key)
	if err != nil {
		return false, false, err
	}
	results, whole := gamelog.Rebuild(g)
	if !whole {
		return false, false, nil
	}
	changed, err = db.ReplaceResults(c.ctx, key, results)
	return changed, true, err
}
