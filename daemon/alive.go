package daemon

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"
)

// aliveTimeout is the time limit of the check. Docker's timeout of a health check has to be longer.
const aliveTimeout = 3 * time.Second

// Alive checks that a host on this machine answers. listen is its host.listen. addr is the address that was checked, or
// empty if it cannot be derived.
func Alive(ctx context.Context, listen string) (addr string, err error) {
	if addr, err = ownAddress(listen); err == nil {
		err = signOfLife(ctx, addr)
	}
	return addr, err
}

// AskReady asks the web console of a host on this machine whether new players find a lobby. The error is set unless the
// host is ready.
func AskReady(ctx context.Context, url string) (h Health, err error) {
	// The certificate is for the public host names, not for this address.
	client := http.Client{Timeout: aliveTimeout, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return h, err
	}
	answer, err := client.Do(r)
	if err != nil {
		return Health{Status: "away"}, fmt.Errorf("the web console of the host does not answer: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if err := json.NewDecoder(io.LimitReader(answer.Body, 4<<10)).Decode(&h); err != nil {
		return h, fmt.Errorf("%s answers %s", url, answer.Status)
	}
	if answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("the host is not ready: %s", h.Reason)
	}
	return h, err
}

// ownAddress returns the address at which a listener is reached from the same machine.
func ownAddress(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("host.listen = %q: must be ADDRESS:PORT", listen)
	}
	if port == "0" {
		return "", fmt.Errorf("host.listen = %q: the system chooses the port; give it with --listen ADDRESS:PORT", listen)
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.Unmap().IsUnspecified() {
		host = "127.0.0.1"
		if ip.Is6() && !ip.Is4In6() {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port), nil
}

// signOfLife connects, sends nothing and waits for the host to close the connection. A successful connect alone proves
// little, because the kernel accepts connections for a program that hangs.
func signOfLife(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, aliveTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("no host is listening at %s: %w", addr, errors.Unwrap(err))
	}
	defer func() { _ = conn.Close() }()
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline)
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		return fmt.Errorf("%s: %w", addr, err)
	}
	_, err = conn.Read(make([]byte, 1))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%s accepts connections but has not answered for %v: the host hangs", addr, aliveTimeout)
	}
	return nil // end of file or a reset: both come from a running host
}
