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

const healthHelp = `w3host health asks the host on this machine whether it answers. It connects to
host.listen (where that leaves the port open, to the port in the host's status.json) and closes it; a host that is alive closes it too. The database is not
asked: games go on without it. With --json, what the host says of its records is part of the
answer: spool_down and database_down are true while they cannot be written, and a status
that is older than 30 s counts as spool_down (status_stale_for).

With --ready it asks the host's window instead (/readyz at web.listen) whether new players find a lobby: a host that
opens none any more is draining, one whose database is away is degraded, but ready. --wait asks again until it is.

The exit code is 0 when the host answers, else 1.`

// healthCommand never exits with code 2, which Docker reserves in health checks.
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
		Use: "health", Short: "ask the host on this machine whether it answers", Long: healthHelp,
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
	fs.BoolVar(&asJSON, "json", false, "print JSON, with what the host says of its records every 10 s (status.json in the spool)")
	fs.BoolVar(&ready, "ready", false, "ask whether new players find a lobby")
	fs.DurationVar(&wait, "wait", 0, "with --ready, how long to wait until they do")
	configFlag(fs, &file)
	return cmd
}

// readyEvery is how often --wait asks.
const readyEvery = 200 * time.Millisecond

// readiness asks a host's window until it says yes, or wait is over.
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
			fmt.Fprintf(stdout, "The host is ready, and %s: %s.\n", answer.Status, answer.Reason)
		case err == nil:
			fmt.Fprintln(stdout, "The host is ready.")
		}
		return err
	}
}

// staleAfter a running host must have written its status again, which it does every 10 s.
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

// portOf is where a host takes joins: where its configuration leaves the port open, as the host
// itself has written.
func portOf(configured, written string) string {
	_, port, _ := net.SplitHostPort(configured)
	if written != "" && (port == "0" || strings.Contains(port, "-")) {
		return written
	}
	return configured
}

// healthJSON prints the answer for programs; status is left out where the spool has
// none.
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
			status.Stats.SpoolDown = true // or it would have written its status
			answer.Stale = silent.Round(time.Second).String()
		}
		answer.Status = &status
	}
	if err := printJSON(stdout, answer); err != nil {
		return exitFailed
	}
	return code
}
