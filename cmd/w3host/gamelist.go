package main

import (
	"errors"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"w3host/config"
	"w3host/formats/w3map"
	"w3host/storage"
)

func gameListCommand() *cobra.Command {
	c, cmd := newDBCommand("list", "list the games of the log", "w3host game list lists the games of the log, the latest first.")
	cmd.SuggestFor = []string{"games"}
	var f storage.GameFilter
	fs := cmd.Flags()
	fs.IntVar(&f.Limit, "limit", 20, "at most `N` games")
	fs.StringVar(&f.Player, "player", "", "only games in which `NAME` played")
	fs.StringVar(&f.Map, "map", "", "only games on maps whose name contains `TEXT`")
	fs.BoolVar(&f.Open, "open", false, "only lobbies and games that have not ended")
	now := time.Now()
	fs.Func("since", "only games whose lobby opened at `TIME` or later: 2026-11-20, \"2026-11-20 14:05\", or how long ago: 7d, 12h", func(text string) (err error) { f.Since, err = parseTime(text, now); return err })
	fs.Func("until", "only games whose lobby opened before `TIME`", func(text string) (err error) { f.Before, err = parseTime(text, now); return err })
	c.addListFlags(fs)
	check := func() error {
		if f.Limit < 1 {
			return errors.New("--limit must be at least 1")
		}
		return c.none()
	}
	return c.does(cmd, check, lists(c, "No games.", "CREATED\tNAME\tMAP\tPLAYERS\tLENGTH\tSTATE\tHOST\tKEY",
		func(db *storage.Store) ([]storage.Game, error) { return db.Games(c.ctx, f) },
		func(g storage.Game) []string {
			return []string{local(g.CreatedAt), g.Name, w3map.Plain(g.MapName), strconv.Itoa(g.Players), minutes(g.PlayedMS), gameState(g), g.Host, g.Key.String()}
		}))
}

// parseTime parses a day, a time, or a span before now.
func parseTime(text string, now time.Time) (time.Time, error) {
	if ago, ok := config.ParseSpan(text); ok {
		return now.Add(-ago), nil
	}
	for _, form := range []string{time.DateOnly, "2006-01-02 15:04", time.DateTime, time.RFC3339} {
		if t, err := time.ParseInLocation(form, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errors.New(`write 2026-11-20, "2026-11-20 14:05", or how long ago: 7d, 12h`)
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
