package main

import (
	"time"

	"github.com/spf13/cobra"

	"w3host/storage"
)

// silentAfter is the age of the last heartbeat, normally sent every 10 s, at which a host is shown as silent.
const silentAfter = 2 * time.Minute

func hostsCommand() *cobra.Command {
	c, cmd := newDBCommand("hosts", "list the hosts that share the database",
		"w3host db hosts lists the hosts that share the database, the latest heartbeat first.")
	c.addListFlags(cmd.Flags())
	return c.does(cmd, c.none, lists(c, "No hosts.", "NAME\tSTATE\tVERSION\tSTARTED\tLAST SIGN\tID",
		func(db *storage.Store) ([]storage.HostStatus, error) { return db.Hosts(c.ctx) },
		func(h storage.HostStatus) []string {
			state := "running"
			switch {
			case !h.StoppedAt.IsZero():
				state = "stopped"
			case time.Since(h.Heartbeat) > silentAfter:
				state = "silent"
			}
			return []string{h.Name, state, h.Version, local(h.StartedAt), local(h.Heartbeat), h.ID}
		}))
}
