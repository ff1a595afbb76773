package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"w3host/storage"
)

const hostsUsage = `w3host hosts lists the hosts that share the database, the latest sign of life first.

Usage: w3host hosts [flags]

Flags:
  --json          print a JSON array`

// silentAfter is when a host is called silent; its heartbeat comes every 10 s.
const silentAfter = 2 * time.Minute

// hostsCommand runs "w3host hosts".
func hostsCommand(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	c := newDBCall(ctx, "hosts", hostsUsage, stdout, stderr)
	asJSON := c.flags.Bool("json", false, "")
	return c.run(args, storage.Options{}, c.none, func(db *storage.Store) error {
		hosts, err := db.Hosts(ctx)
		if err != nil {
			return err
		}
		if *asJSON {
			return c.printJSON(hosts)
		}
		if len(hosts) == 0 {
			fmt.Fprintln(stdout, "No hosts.")
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
