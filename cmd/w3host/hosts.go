package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"w3host/storage"
)

// silentAfter is when a host is called silent; its heartbeat comes every 10 s.
const silentAfter = 2 * time.Minute

// hostsCommand is "w3host hosts".
func hostsCommand() *cobra.Command {
	c, cmd := newDBCommand("hosts", "list the hosts that share the database",
		"w3host hosts lists the hosts that share the database, the latest heartbeat first.")
	c.addJSONFlag(cmd.Flags(), "print a JSON array")
	return c.does(cmd, storage.Options{}, c.none, func(db *storage.Store) error {
		hosts, err := db.Hosts(c.ctx)
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(hosts)
		}
		if len(hosts) == 0 {
			fmt.Fprintln(c.stdout, "No hosts.")
			return nil
		}
		rows := make([][]string, 0, len(hosts))
		for _, h := range hosts {
			state := "running"
			switch {
			case h.StoppedAt != nil:
				state = "stopped"
			case time.Since(h.Heartbeat) > silentAfter:
				state = "silent"
			}
			rows = append(rows, []string{h.Name, state, h.Version, local(h.StartedAt), local(h.Heartbeat), h.ID})
		}
		return c.table("NAME\tSTATE\tVERSION\tSTARTED\tLAST SIGN\tID", rows)
	})
}
