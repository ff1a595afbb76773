package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"w3host/storage"
	"w3host/w3map"
)

const gamesUsage = `w3host games lists the games of the log, the latest first.

Usage: w3host games [flags]

Flags:
  --limit N       at most N games (20)
  --player NAME   only games in which NAME played
  --open          only lobbies and games that have not ended
  --json          print a JSON array`

// gamesCommand runs "w3host games".
func gamesCommand(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	c := newDBCall(ctx, "games", gamesUsage, stdout, stderr)
	var f storage.GameFilter
	asJSON := c.flags.Bool("json", false, "")
	c.flags.IntVar(&f.Limit, "limit", 20, "")
	c.flags.StringVar(&f.Player, "player", "", "")
	c.flags.BoolVar(&f.Open, "open", false, "")
	check := func() error {
		if f.Limit < 1 {
			return errors.New("--limit must be at least 1")
		}
		return c.none()
	}
	return c.run(args, storage.Options{}, check, func(db storage.Store) error {
		games, err := db.Games(ctx, f)
		if err != nil {
			return err
		}
		if *asJSON {
			return c.printJSON(games)
		}
		if len(games) == 0 {
			fmt.Fprintln(stdout, "No games.")
			return nil
		}
		rows := make([][]string, 0, len(games))
		for _, g := range games {
			rows = append(rows, []string{
				local(g.CreatedAt), g.Name, w3map.Plain(g.MapName), strconv.Itoa(g.Players), minutes(g.PlayedMS), gameState(g), g.Host,
			})
		}
		return c.table("CREATED\tNAME\tMAP\tPLAYERS\tLENGTH\tSTATE\tHOST", rows)
	})
}

func gameState(g storage.Game) string {
	switch {
	case !g.EndedAt.IsZero():
		return string(g.Ended)
	case !g.LoadedAt.IsZero():
		return "running"
	case !g.StartedAt.IsZero():
		return "loading"
	}
	return "lobby"
}
