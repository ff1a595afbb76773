package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/spf13/cobra"

	"w3host/storage"
)

// healthTimeout is long for a host on the same machine; Docker's own limit for
// a health check has to be longer.
const healthTimeout = 3 * time.Second

const healthHelp = `w3host health asks the host on this machine whether it answers. It connects to
host.listen and closes it; a host that is alive closes it too. The database is not
asked: games go on without it.

The exit code is 0 when the host answers, else 1.`

// healthCommand is "w3host health". Every failure is exit code 1: Docker keeps
// 2 for itself.
func healthCommand() *cobra.Command {
	var listen, file string
	var asJSON bool
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
			return health(cmd.Context(), listen, file, asJSON, cmd.OutOrStdout())
		},
	}
	cmd.SetFlagErrorFunc(flagFault)
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&listen, "listen", "", "`ADDRESS:PORT` where the host listens; otherwise the configuration's")
	sets(fs, "listen", "host.listen")
	fs.BoolVar(&asJSON, "json", false, "print JSON, with what the host says of its records every 10 s (status.json in database.spool)")
	configFlag(fs, &file)
	return cmd
}

func health(ctx context.Context, listen, file string, asJSON bool, stdout io.Writer) error {
	spool := ""
	if listen == "" || asJSON {
		c, faults := readConfig(file)
		if err := faults.ErrorOrNil(); err != nil {
			return err
		}
		listen, spool = cmp.Or(listen, c.Host.Listen), c.Database.Spool
	}
	addr, err := ownAddress(listen)
	if err != nil {
		return err
	}
	err = signOfLife(ctx, addr)
	if asJSON {
		return exit(healthJSON(addr, spool, err, stdout))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "The host at %s is alive.\n", addr)
	return nil
}

// healthJSON prints the answer for programs. Records are left out where no host
// has told of them.
func healthJSON(addr, spool string, fault error, stdout io.Writer) int {
	answer := struct {
		Alive   bool            `json:"alive"`
		Address string          `json:"address"`
		Fault   string          `json:"fault,omitempty"`
		Status  *storage.Status `json:"status,omitempty"`
	}{Alive: fault == nil, Address: addr}
	code := exitOK
	if fault != nil {
		code, answer.Fault = exitFailed, fault.Error()
	}
	if status, err := storage.ReadStatus(spool); err == nil {
		answer.Status = &status
	}
	if err := printJSON(stdout, answer); err != nil {
		return exitFailed
	}
	return code
}

// ownAddress is where a program on the same machine reaches a listener.
func ownAddress(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("host.listen = %q: must be ADDRESS:PORT", listen)
	}
	if port == "0" {
		return "", fmt.Errorf("host.listen = %q: the system chose the port; say which with --listen ADDRESS:PORT", listen)
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.Unmap().IsUnspecified() {
		host = "127.0.0.1"
		if ip.Is6() && !ip.Is4In6() {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port), nil
}

// signOfLife waits until the host has closed a connection that says nothing.
// That the connection is taken proves little: the kernel does that for a
// program that hangs.
func signOfLife(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("no host listens at %s: %w", addr, errors.Unwrap(err))
	}
	defer func() { _ = conn.Close() }()
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline)
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		return fmt.Errorf("%s: %w", addr, err)
	}
	_, err = conn.Read(make([]byte, 1))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%s takes connections, but nobody has answered for %v: the host hangs", addr, healthTimeout)
	}
	return nil // an end or a reset: either comes from a living host
}
