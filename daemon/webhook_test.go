package daemon

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/control"
	"w3host/daemon/logging"
	"w3host/internal/testkit"
	"w3host/realm/bncs"
)

// A host without a window tells a site that a lobby is open; after a reload it tells another
// one, which is refused, and the log has no URL.
func TestWebhooks(t *testing.T) {
	sites := make(chan string, 100)
	answers := map[string]int{"/one": http.StatusOK, "/two": http.StatusForbidden}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var told struct{ Type, Name, Map, Key string }
		_ = json.NewDecoder(r.Body).Decode(&told)
		w.WriteHeader(answers[r.URL.Path])
		if len(told.Key) == 36 {
			sites <- r.URL.Path + " " + told.Type + " " + told.Name + " " + told.Map
		}
	}))
	defer s.Close()
	c := config.Default()
	dir := t.TempDir()
	c.Host.Listen, c.LAN.Enabled, c.Web.Enabled, c.Lobby.Autostart = "127.0.0.1:0", false, false, -1
	c.Host.DataDir, c.Replays.Dir = dir, filepath.Join(dir, "replays")
	c.Webhooks = []config.Webhook{{
		Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Events: []string{"lobby.opened"}, Format: config.FormatJSON,
		Entries: []string{c.Lobby.Name},
	}}
	use := func(path string) config.Config {
		with := c
		with.Webhooks = append([]config.Webhook(nil), c.Webhooks...)
		with.Webhooks[0].URL = bncs.Secret(s.URL + path)
		if err := Check(with); err != nil {
			t.Fatal(err)
		}
		return with
	}
	log := new(testkit.Log)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Options{Config: use("/one"), Console: new(control.Console), Version: "test", Log: logging.ForPeople(log, zerolog.InfoLevel), Read: func() (config.Config, error) { return use("/two"), nil }})
	}()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	await := func(want string) {
		t.Helper()
		select {
		case got := <-sites:
			if got != want {
				t.Errorf("told %q, want %q", got, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%q was not told: %s", want, log.String())
		}
	}
	await("/one lobby.opened w3host game w3host-test.w3x")
	// The reload opens the empty lobby again.
	if a, err := control.Send(t.Context(), c.ControlSocket(), control.Order{Command: "reload"}); err != nil || a.Refused != "" {
		t.Fatal(a, err)
	}
	await("/two lobby.opened w3host game #2 w3host-test.w3x")
	log.Await(t, `(a webhook did not get)`)
	if text := log.String(); strings.Contains(text, "/two") || !strings.Contains(text, "403") {
		t.Error(text)
	}
}
