package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"w3host/record/gamelog"
	"w3host/storage"
)

func dbCommand() *cobra.Command {
	return group(&cobra.Command{
		Use: "db", Short: "migrate, prune and rebuild the database; show hosts and waiting records",
		Long: "w3host db maintains the database of the game log.",
	}, migrateCommand(), pruneCommand(), spoolCommand(), hostsCommand(), rebuildCommand())
}

const rebuildHelp = `w3host db rebuild computes stored values again from their sources. Hosts may keep running
meanwhile.

  results   the results of all games, from the map reports (W3MMD) that the players'
            clients sent, as this version of the program interprets them; then the ratings
  ratings   the ratings of all players, from the stored games
  ladder    the tables of all ladders and seasons, also of those that are over, from the
            stored games`

func rebuildCommand() *cobra.Command {
	c, cmd := newDBCommand("rebuild", "compute results, ratings or ladders again from the stored games", rebuildHelp)
	c.command = "db"
	return group(cmd,
		c.does(&cobra.Command{Use: "results", Short: "recompute the results of all games from the reports of their maps"}, c.none, c.rebuildResults),
		c.does(&cobra.Command{Use: "ratings", Short: "recompute all ratings from the stored games"}, c.none, c.rebuildRatings),
		c.does(&cobra.Command{Use: "ladder", Short: "recompute the tables of all ladders from the stored games"}, c.none, c.rebuildLadders))
}

func (c *dbCall) rebuildRatings(db *storage.Store) error {
	done, err := db.RebuildRatings(c.ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "Rebuilt all ratings from %d games.\n", done.Games)
	if done.Refused > 0 {
		fmt.Fprintf(c.stdout, "Skipped %d games that cannot be rated; the log above has their keys, and w3host game show KEY has the reason.\n", done.Refused)
	}
	return c.audit(db, "", fmt.Sprintf("rebuild ratings from %d games", done.Games))
}

// rebuildBatch is the number of games fetched per query.
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
	fmt.Fprintf(c.stdout, "Recomputed the results of %d games; %d of them changed.\n", games, changed)
	if partly > 0 {
		fmt.Fprintf(c.stdout, "Skipped %d games: their stored reports are incomplete.\n", partly)
	}
	if changed > 0 {
		if err := c.rebuildRatings(db); err != nil {
			return err
		}
		if err := db.ResetLadders(c.ctx); err != nil { // a host makes them again
			return err
		}
	}
	return c.audit(db, "", fmt.Sprintf("rebuild results of %d games, %d changed", games, changed))
}

// rebuildGame recomputes the results of one game. whole is false, and nothing changes, if the stored reports are
// incomplete.
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
