package main

import (
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"w3host/config"
	"w3host/web/access"
)

// The link that a first start prints lets a browser in, and accounts are made beside the
// running host.
func TestWindowOfAFirstStart(t *testing.T) {
	dir := t.TempDir()
	p := startProcess(t, dir, "--listen", "127.0.0.1:0", "--lan=false")
	said, _ := p.await("web console (one-time login link)")["message"].(string)
	line := regexp.MustCompile(`(http://\S+)/login#once=(\w+)$`).FindStringSubmatch(said)
	if line == nil {
		t.Fatal(said)
	}
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer c.CloseIdleConnections()
	for _, want := range []int{http.StatusSeeOther, http.StatusForbidden} {
		answer, err := c.PostForm(line[1]+"/login", url.Values{"once": {line[2]}})
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("the link: %s, want %d", answer.Status, want)
		}
	}
	t.Setenv(config.EnvName("web.listen"), strings.TrimPrefix(line[1], "http://"))
	if code, out, errs := shell(t, "health", "--ready", "--wait", "30s"); code != exitOK || !strings.Contains(out, "The host is ready.") {
		t.Errorf("ready: %d %s%s", code, out, errs)
	}
	t.Setenv(config.EnvName("host.data_dir"), filepath.Join(dir, "data"))
	if code, _, errs := shell(t, "ctl", "disable"); code != exitOK {
		t.Error(errs)
	}
	if code, _, errs := shell(t, "health", "--ready"); code != exitFailed || !strings.Contains(errs, "no new lobbies are opened") {
		t.Errorf("draining: %d %s", code, errs)
	}
	if code, out, errs := shell(t, "web", "token", "add", "bot", "--role", "viewer"); code != exitOK || !strings.HasPrefix(out, "w3h_") {
		t.Fatalf("%d %s %s", code, out, errs)
	} else if _, ok := access.Open(filepath.Join(dir, "data", "web.json")).Token(strings.TrimSpace(out), netip.Addr{}, time.Now()); !ok {
		t.Error("the token is not known")
	} else {
		for token, want := range map[string]int{"": http.StatusUnauthorized, "Bearer " + strings.TrimSpace(out): http.StatusOK} {
			r, _ := http.NewRequest(http.MethodGet, line[1]+"/metrics", nil)
			if token != "" {
				r.Header.Set("Authorization", token)
			}
			answer, err := c.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if answer.StatusCode != want || want == http.StatusOK && !strings.Contains(string(text), "\nw3host_build_info{") {
				t.Errorf("metrics with %.10q: %s %.200s", token, answer.Status, text)
			}
		}
	}
}

func TestWebCommand(t *testing.T) {
	t.Setenv(config.EnvName("host.data_dir"), t.TempDir())
	for _, c := range []struct {
		line, says string
		code       int
	}{
		{"web link", "/login#once=", exitOK},
		{"web account add Rook", "no password", exitFailed},
		{"web account add Rook --role king", "use one of viewer, moderator, admin, root", exitUsage},
		{"web account remove Rook", "not found", exitFailed},
		{"web token add bot --from 10.0.0.0/8 --expires 90d", "w3h_", exitOK},
		{"web token add bot --from here", "--from here", exitUsage},
		{"web token add", "missing argument: a name", exitUsage},
		{"web token list", "10.0.0.0/8", exitOK},
		{"web token list --json", `"name": "bot"`, exitOK},
		{"web token remove bot", "Removed the token bot", exitOK},
		{"web account list --json", "[]", exitOK},
		{"web sessions --json", "[]", exitOK},
		{"web logout Rook", "Rook is not logged in: not found", exitFailed},
		{"web door", "unknown command", exitUsage},
	} {
		code, out, errs := shell(t, strings.Fields(c.line)...)
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%s: %d %s%s", c.line, code, out, errs)
		}
	}
}

// What cannot be read is not printed as an empty list.
func TestWebListsNothingAfterAnError(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(config.EnvName("host.data_dir"), dir)
	write(t, filepath.Join(dir, "web.json"), "{")
	for _, line := range []string{"web account list", "web token list --json"} {
		if code, out, errs := shell(t, strings.Fields(line)...); code != exitFailed || out != "" || !strings.Contains(errs, "web.json") {
			t.Errorf("%s: %d %q %s", line, code, out, errs)
		}
	}
}
