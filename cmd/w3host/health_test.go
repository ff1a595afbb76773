package main

import (
	"bytes"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/internal/tier"
)

func askHealth(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	code, stdout, stderr := shell(t, append([]string{"health"}, args...)...)
	if (code == exitOK) != (stderr == "") || strings.Count(stdout+stderr, "\n") != 1 {
		t.Errorf("health %q exits with %d and says %q, %q: want one sentence", args, code, stdout, stderr)
	}
	return code, stdout + stderr
}

func TestHealthOfAHost(t *testing.T) {
	t.Parallel()
	h := startHost(t, "")
	code, said := askHealth(t, "--listen", h.addr)
	if code != exitOK || !strings.Contains(said, h.addr) {
		t.Errorf("exit %d: %s", code, said)
	}
}

// A program that hangs still has its connections taken, by the kernel.
func TestHealthOfAHostThatHangs(t *testing.T) {
	tier.All(t, "waits for real time")
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	if code, said := askHealth(t, "--listen", addr); code != exitFailed || !strings.Contains(said, "the host hangs") {
		t.Errorf("nobody accepts: exit %d: %s", code, said)
	}
	_ = listener.Close()
	addr = fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	if code, said := askHealth(t, "--listen", addr); code != exitFailed || !strings.Contains(said, "no host is listening at "+addr) {
		t.Errorf("nobody listens: exit %d: %s", code, said)
	}
}

func TestHealthOfWhat(t *testing.T) {
	t.Setenv("W3HOST_HOST_LISTEN", "127.0.0.1:0")
	for line, want := range map[string]string{
		"":                   "the system chooses the port; give it with --listen",
		"--listen 6112":      "must be ADDRESS:PORT",
		"now":                `unexpected argument "now"`,
		"--config none.toml": "none.toml does not exist",
	} {
		if code, said := askHealth(t, strings.Fields(line)...); code != exitFailed || !strings.Contains(said, want) {
			t.Errorf("w3host health %s: exit %d: %s", line, code, said)
		}
	}
}

// A host that cannot write its status cannot write records either.
func TestHealthOfAStaleStatus(t *testing.T) {
	t.Parallel()
	h := startHost(t, "")
	dir := t.TempDir()
	for age, want := range map[time.Duration]bool{time.Second: false, time.Hour: true} {
		status := fmt.Sprintf(`{"at":%q,"records":{"spool_down":false}}`, time.Now().Add(-age).Format(time.RFC3339))
		write(t, filepath.Join(dir, "status.json"), status)
		var out bytes.Buffer
		healthJSON(h.addr, dir, nil, &out)
		if down := strings.Contains(out.String(), `"spool_down": true`); down != want || strings.Contains(out.String(), "status_stale_for") != want {
			t.Errorf("a status of %v ago: %s", age, &out)
		}
	}
}
