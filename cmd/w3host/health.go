package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"time"

	"w3host/storage"
)

// healthTimeout is long for a host on the same machine; Docker's own limit for
// a health check has to be longer.
const healthTimeout = 3 * time.Second

const healthUsage = `w3host health asks the host on this machine for a sign of life. It connects to
host.listen and hangs up; a host that is alive hangs up too. The database is not
asked: games go on without it.

Usage: w3host health [flags]

The exit code is 0 when the host answers, else 1.

Flags:
  --listen ADDRESS:PORT  where the host listens; otherwise host.listen of the configuration
  --config FILE          the configuration, as for serve
  --json                 print JSON, with what the host says of its records every 10 s
                         (status.json in database.spool)
`

// healthCommand runs "w3host health". Every failure is exit code 1: Docker
// keeps 2 for itself.
func healthCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("w3host health", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	listen := fs.String("listen", "", "")
	file := fs.String("config", "", "")
	asJSON := fs.Bool("json", false, "")
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, healthUsage)
		return exitOK
	}
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	spool := ""
	if err == nil && (*listen == "" || *asJSON) {
		c, faults := readConfig(*file)
		*listen, spool, err = cmp.Or(*listen, c.Host.Listen), c.Database.Spool, faults.ErrorOrNil()
	}
	var addr string
	if err == nil {
		addr, err = ownAddress(*listen)
	}
	if err == nil {
		err = signOfLife(ctx, addr)
	}
	if *asJSON && addr != "" {
		return healthJSON(addr, spool, err, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "w3host health: %v\n", err)
		return exitFailed
	}
	fmt.Fprintf(stdout, "The host at %s is alive.\n", addr)
	return exitOK
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
	out := json.NewEncoder(stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(answer); err != nil {
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
