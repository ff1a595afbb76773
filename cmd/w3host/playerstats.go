package main

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"w3host/formats/w3map"
	"w3host/internal/terminal"
	"w3host/storage"
)

func statsCommand() *cobra.Command {
	c, cmd := newDBCommand("stats PLAYER", "show the statistics of a player",
		"w3host player stats shows the statistics of a player for each realm. Wins and losses are\nknown only for maps that report them.")
	c.addListFlags(cmd.Flags())
	check := func() error { return c.one("the name of a player") }
	return c.does(cmd, check, func(db *storage.Store) error {
		all, err := db.PlayerStats(c.ctx, c.names[0])
		if err != nil {
			return err
		}
		if c.json || c.csv {
			return c.printValues(all)
		}
		for i, s := range all {
			if i > 0 {
				fmt.Fprintln(c.stdout)
			}
			if err := c.printStats(s); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *dbCall) printStats(s storage.PlayerStats) error {
	fmt.Fprintf(c.stdout, "%s (%s): %d games from %s to %s\n", terminal.Printable(s.Name), realmName(s.Realm), s.Games, local(s.First), local(s.Last))
	fmt.Fprintf(c.stdout, "  won %d, lost %d, drawn %d, left early %d, dropped %d, waited for %d times\n",
		s.Won, s.Lost, s.Drawn, s.LeftEarly, s.Dropped, s.Lags)
	fmt.Fprintf(c.stdout, "  played %s, %d actions (%.0f a minute), round trip %.0f ms\n",
		minutes(s.PlayedMS), s.Actions, perMinute(s.Actions, s.PlayedMS), s.PingMS)
	err := table(c.stdout, "  MAP\tGAMES\tWON\tLOST", mapped(s.Maps, func(m storage.PlayedMap) []string {
		return []string{"  " + w3map.Plain(m.Name), strconv.Itoa(m.Games), strconv.Itoa(m.Won), strconv.Itoa(m.Lost)}
	}))
	if err != nil || len(s.Values) == 0 {
		return err
	}
	return table(c.stdout, "  VALUE\tGAMES\tSUM\tMEAN\tMOST", mapped(s.Values, func(v storage.MapValue) []string {
		return []string{
			"  " + string(v.Source) + " " + v.Name, strconv.Itoa(v.Games),
			fmt.Sprintf("%.0f", v.Sum), fmt.Sprintf("%.1f", v.Mean), fmt.Sprintf("%.0f", v.Most),
		}
	}))
}

func perMinute(n, ms int64) float64 {
	if ms <= 0 {
		return 0
	}
	return float64(n) * float64(time.Minute/time.Millisecond) / float64(ms)
}

func realmName(realm string) string { return terminal.Printable(cmp.Or(realm, "LAN")) }
