package daemon

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"w3host/config"
)

// The port for everybody has the public page and no other, whoever asks. One that is taken does
// not end the start.
func TestPublicListen(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	h := startAPIWith(t, func(c *config.Config) {
		c.Web.Public, c.Web.Metrics, c.Web.BasePath = "127.0.0.1:0", taken.Addr().String(), "/w3host"
	})
	h.log.Await(t, `(nothing is answered there: web.metrics_listen)`)
	outside := &apiHost{t: t, tokens: h.tokens, url: "http://" + h.log.Await(t, `web.public_listen: listening on (\S+)`) + "/w3host"}
	for path, want := range map[string]int{
		"/": 200, "/public": 200, "/status.json": 200, "/static/app.css": 200, "/minimap/other.w3x": 404,
		"/events?topic=games:en": 403, "/login": 404, "/games/1": 404, "/maps": 404, "/system": 404, "/api/v1/host": 404, "/api/v1/games": 404, "/metrics": 404,
	} {
		for _, role := range []string{"", "root"} {
			status, _, text := outside.ask(role, "GET", path, "")
			if status != want || strings.Contains(text, "/login") || strings.Contains(text, "127.0.0.1") {
				t.Errorf("%s as %q: %d %.300s", path, role, status, text)
			}
		}
	}
	r, _ := http.NewRequest("GET", outside.url+"/public", nil)
	r.Host = "games.example.org"
	if answer, err := http.DefaultClient.Do(r); err != nil || answer.StatusCode != 200 {
		t.Errorf("by a name: %v %v", answer, err)
	} else {
		answer.Body.Close()
	}
}
