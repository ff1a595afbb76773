package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"w3host/daemon"
	"w3host/storage"
)

const healthHelp = `w3host health checks that the host on this machine answers. It connects to host.listen
(or to the port in the host's status.json if the configuration leaves the port open) and
waits for the host to close the connection. It does not check the database, because games
run without it. With --json the answer includes the host's status of its records:
spool_down and database_down are true while they cannot be written, and a status older
than 30 s counts as spool_down (status_stale_for).

With --ready it asks /readyz of the web console (web.listen) instead whether new players
find a lobby: a host that opens no new lobbies is draining; a host without its database is
degraded, but ready. --wait polls until the host is ready.

The exit code is 0 if the host answers, otherwise 1.`

// healthCommand returns exit code 1 even for usage errors, since Docker reserves code 2 in health checks.
func healthCommand() *cobra.Command {
	var listen, file string
	var asJSON, ready bool
	var wait time.Duration
	failure := func(err error) error {
		if usage, ok := errors.AsType[usageError](err); ok {
			return usage.error
		}
		return err
	}
	cmd := &cobra.Command{
		Use: "health", Short: "check that the host on this machine answers", Long: healthHelp,
		Args: func(cmd *cobra.Command, args []string) error { return failure(noArgs(cmd, args)) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ready {
				return failure(readiness(cmd.Context(), file, asJSON, wait, cmd.OutOrStdout()))
			}
			return failure(health(cmd.Context(), listen, file, asJSON, cmd.OutOrStdout()))
		},
	}
	cmd.SetFlagErrorFunc(flagFault)
	fs := cmd.Flags()
	fs.StringVar(&listen, "listen", "", "`ADDRESS:PORT` where the host listens; otherwise the configuration's")
	sets(fs, "listen", "host.listen")
	fs.BoolVar(&asJSON, "json", false, "print JSON, with the host's status of its records (status.json in the spool, written every 10 s)")
	fs.BoolVar(&ready, "ready", false, "check whether new players find a lobby")
	fs.DurationVar(&wait, "wait", 0, "with --ready: how long to wait for readiness")
	configFlag(fs, &file)
	return cmd
}

// readyEvery is the polling interval of --wait.
const readyEvery = 200 * time.Millisecond

// readiness polls /readyz of the host's web console until the host is ready or wait has passed, and prints the last
// answer.
func readiness(ctx context.Context, file string, asJSON bool, wait time.Duration, stdout io.Writer) error {
	c, err := settings(file)
	if err != nil {
		return err
	}
	url := daemon.WebURL(c.Web, c.Web.Listen) + "/readyz"
	for end := time.Now().Add(wait); ; {
		answer, err := daemon.AskReady(ctx, url)
		if err != nil && time.Now().Before(end) && ctx.Err() == nil {
			time.Sleep(readyEvery)
			continue
		}
		switch {
		case asJSON:
			return errors.Join(err, printJSON(stdout, answer))
		case err == nil && answer.Reason != "":
			fmt.Fprintf(stdout, "The host is ready, but %s: %s.\n", answer.Status, answer.Reason)
		case err == nil:
			fmt.Fprintln(stdout, "The host is ready.")
		}
		return err
	}
}

// staleAfter is the age at which status.json counts as stale. A running host writes it every 10 s.
const staleAfter = 30 * time.Second

func health(ctx context.Context, listen, file string, asJSON bool, stdout io.Writer) error {
	spool := ""
	if listen == "" || asJSON {
		c, err := settings(file)
		if err != nil {
			return err
		}
		var status storage.Status
		status, spool, _ = storage.StatusHere(c.SpoolDir())
		listen = cmp.Or(listen, portOf(c.Host.Listen, status.Listen))
	}
	addr, err := daemon.Alive(ctx, listen)
	if asJSON && addr != "" {
		return exit(healthJSON(addr, spool, err, stdout))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "The host at %s is alive.\n", addr)
	return nil
}

// portOf returns the address where the host listens. If the configuration leaves the port open, that is the address in
// status.json.
func portOf(configured, written string) string {
	_, port, _ := net.SplitHostPort(configured)
	if written != "" && (port == "0" || strings.Contains(port, "-")) {
		return written
	}
	return configured
}

// healthJSON prints the answer as JSON and returns the exit code. status is omitted if the spool has none.
func healthJSON(addr, spool string, fault error, stdout io.Writer) int {
	answer := struct {
		Alive   bool            `json:"alive"`
		Address string          `json:"address"`
		Fault   string          `json:"fault,omitempty"`
		Stale   string          `json:"status_stale_for,omitempty"`
		Status  *storage.Status `json:"status,omitempty"`
	}{Alive: fault == nil, Address: addr}
	code := exitOK
	if fault != nil {
		code, answer.Fault = exitFailed, fault.Error()
	}
	if status, err := storage.ReadStatus(spool); err == nil {
		if silent := time.Since(status.At); fault == nil && silent > staleAfter {
			status.Stats.SpoolDown = true // otherwise it would have written its status
			answer.Stale = silent.Round(time.Second).String()
		}
		answer.Status = &status
	}
	if err := printJSON(stdout, answer); err != nil {
		return exitFailed
	}
	return code
}
