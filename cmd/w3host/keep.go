package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/go-multierror"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"w3host/config"
	"w3host/storage"
)

const pruneHelp = `w3host prune removes what is older than database.keep_chat, keep_addresses and
keep_games say, in small batches beside hosts that run. A host does the same by
itself every hour. Totals of players and maps stay.`

const forgetHelp = `w3host forget replaces the name of a player by a token that says nothing, everywhere
in the database: games, chat, statistics, past bans, the audit log. Their addresses
are removed. It works in small batches beside hosts that run, and cannot be undone.

Records that still wait in the spool of a host, its log and replays are not touched.`

// retention is what the configuration says about ages.
func retention(c config.Database) storage.Keep {
	return storage.Keep{Chat: c.KeepChat.D(), Addresses: c.KeepAddresses.D(), Games: c.KeepGames.D()}
}

// pruneCommand is "w3host prune".
func pruneCommand() *cobra.Command {
	c, cmd := newDBCommand("prune", "remove what is older than the configuration keeps it", pruneHelp)
	dry := cmd.Flags().Bool("dry-run", false, "only say how much it would be")
	c.addJSONFlag(cmd.Flags(), "print a JSON object")
	var keep storage.Keep
	check := func() error {
		if err := c.none(); err != nil {
			return err
		}
		settings, faults := readConfig(c.file)
		if err := multierror.Append(faults, settings.Validate()).ErrorOrNil(); err != nil {
			return err
		}
		if keep = retention(settings.Database); keep == (storage.Keep{}) {
			return errors.New("everything is kept forever: set database.keep_chat, keep_addresses or keep_games")
		}
		return nil
	}
	return c.does(cmd, storage.Options{}, check, func(db *storage.Store) error {
		done, err := db.Prune(c.ctx, keep, *dry)
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(done)
		}
		verb := "Removed"
		if *dry {
			verb = "Would remove"
		}
		fmt.Fprintf(c.stdout, "%s %d games, %d other lines of chat, %d other addresses.\n", verb, done.Games, done.Chat, done.Addresses)
		if *dry || done == (storage.Pruned{}) {
			return nil
		}
		return c.audit(db, "", fmt.Sprintf("%d games, %d lines of chat, %d addresses", done.Games, done.Chat, done.Addresses))
	})
}

// forgetCommand is "w3host forget".
func forgetCommand() *cobra.Command {
	c, cmd := newDBCommand("forget PLAYER", "replace the name of a player by a token, everywhere", forgetHelp)
	c.addJSONFlag(cmd.Flags(), "print a JSON object")
	check := func() error { return c.one("the name of a player") }
	return c.does(cmd, storage.Options{}, check, func(db *storage.Store) error {
		f, err := db.Forget(c.ctx, c.names[0])
		if err != nil {
			return err
		}
		if err := c.audit(db, f.Token, ""); err != nil { // never the name
			return err
		}
		if c.json {
			return c.printJSON(f)
		}
		fmt.Fprintf(c.stdout, "%s is forgotten: %s in %d games.\n", printable(c.names[0]), f.Token, f.Games)
		return nil
	})
}

// How often a host prunes what is stored.
const (
	keepFirst = 10 * time.Second
	keepEvery = time.Hour
)

// housekeeping carries over what an older program wrote, and removes what is too
// old, until ctx ends. What fails is tried again an hour later.
func housekeeping(ctx context.Context, db *storage.Store, keep storage.Keep, log zerolog.Logger) {
	for wait := keepFirst; ; wait = keepEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if rows, err := db.CarryOver(ctx, nil); err != nil {
			log.Debug().Err(err).Msg("old rows are not carried over")
		} else if rows > 0 {
			log.Info().Int64("rows", rows).Msg("old rows are carried over")
		}
		if keep == (storage.Keep{}) {
			continue
		}
		done, err := db.Prune(ctx, keep, false)
		if err != nil && ctx.Err() == nil {
			log.Warn().Err(err).Msg("what is too old is not removed")
		}
		if done != (storage.Pruned{}) {
			log.Info().Int64("games", done.Games).Int64("chat_lines", done.Chat).Int64("addresses", done.Addresses).
				Msg("what was too old is removed")
		}
	}
}
