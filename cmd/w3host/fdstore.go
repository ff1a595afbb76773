package main

import (
	"github.com/spf13/cobra"

	"w3host/hold"
)

const fdstoreHelp = `w3host fdstore keeps copies of the connections and games of w3host serve --supervise
--fdstore SOCKET, as systemd's file descriptor store does for a service. When that
supervisor and its host have ended, the next supervisor that connects to the socket gets
them, and the games continue. It is for containers, where an update replaces the container:
the store runs in a container of its own, together with the ports (compose.fdstore.yaml).
It is not needed under systemd. It closes connections that no supervisor claims within a
minute.`

func fdstoreCommand() *cobra.Command {
	var c call
	cmd := &cobra.Command{Use: "fdstore SOCKET", Short: "keep running games while the container of a host is replaced", Long: fdstoreHelp}
	return c.runs(cmd, func() error { return c.one("the path of the socket") }, func() error {
		return unsupported(hold.ServeFDStore(c.ctx, c.names[0], supervisorLog(cmd, cmd.CommandPath())))
	})
}
