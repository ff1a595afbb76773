package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"w3host/bots"
	"w3host/config"
	"w3host/control"
	"w3host/formats/w3map/builtin"
	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/web/access"
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
	h.log.Await(t, `(cannot listen: web.metrics_listen)`)
	outside := &apiHost{t: t, tokens: h.tokens, url: "http://" + h.log.Await(t, `web.public_listen: listening on (\S+)`) + "/w3host"}
	for path, want := range map[string]int{
		"/": 200, "/public": 200, "/status.json": 200, "/static/app.css": 200, "/minimap/other.w3x": 404,
		"/zh/": 200, "/matches": 200, "/matches.atom": 200, "/allgames": 200, "/gamelist": 200, "/robots.txt": 200, "/match/nonsense": 404, "/events?topic=games:en": 403, "/login": 404, "/games/1": 404, "/maps": 200, "/zh/maps": 200, "/map/nonsense": 404, "/system": 404, "/api/v1/host": 404, "/api/v1/games": 404, "/metrics": 404,
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

// Every role tries every page of the host.
func TestEveryRoleAndPage(t *testing.T) {
	t.Parallel()
	h := startAPI(t)
	const public, viewer, admin, root = 0, 1, 3, 4
	testkit.Eventually(t, "the page of the lobby", func() bool {
		status, _, _ := h.ask("root", "GET", "/games/1", "")
		return status == 200
	})
	roles := append([]string{""}, access.Roles()...)
	for _, c := range []struct {
		method, path string
		needs        int
		then         int
	}{
		{"GET", "/public", public, 200},
		{"GET", "/static/app.css", public, 200},
		{"GET", "/login", public, 200},
		{"GET", "/status.json", public, 200},
		{"GET", "/healthz", public, 200},
		{"GET", "/readyz", public, 200},
		{"GET", "/", public, 200}, // the public site, or the console
		{"GET", "/zh/", public, 200},
		{"GET", "/matches", public, 200},
		{"GET", "/match/018f0000-0000-7000-8000-000000000000", public, 404},
		{"GET", "/matches.atom", public, 200},
		{"GET", "/allgames", public, 200},
		{"GET", "/gamelist", public, 200},
		{"GET", "/games/1", viewer, 200},
		{"GET", "/maps", public, 200}, // the public site, or the console
		{"GET", "/map/nothing", public, 404},
		{"GET", "/history", viewer, 200},
		{"GET", "/history/018f0000-0000-7000-8000-000000000000", viewer, 404},
		{"GET", "/players", viewer, 200},
		{"GET", "/players/Rook", viewer, 200},
		{"GET", "/metrics", viewer, 200},
		{"POST", "/commands", viewer, 400},
		{"POST", "/games/1/commands", viewer, 400},
		{"POST", "/lobbies", viewer, 200}, // the engine refuses
		{"POST", "/bans", viewer, 200},
		{"GET", "/bans", admin, 200},
		{"GET", "/system", admin, 200},
		{"GET", "/checks", admin, 200},
		{"GET", "/autohost", admin, 200},
		{"GET", "/realms", admin, 200},
		{"GET", "/audit", admin, 200},
		{"GET", "/access", root, 200},
		{"POST", "/access", root, 400},
		{"POST", "/maps", admin, 200},
	} {
		for role, name := range roles {
			want := c.then
			switch {
			case role < c.needs && role == public:
				want = http.StatusUnauthorized
			case role < c.needs:
				want = http.StatusForbidden
			}
			status, _, text := h.ask(name, c.method, c.path, "")
			if status != want {
				t.Errorf("%s %s as %q: %d, not %d: %.200s", c.method, c.path, name, status, want, text)
			}
			if role < admin && strings.Contains(strings.ReplaceAll(text, h.url, ""), "127.0.0.1") {
				t.Errorf("%s as %q has an address: %s", c.path, name, text)
			}
		}
	}
	if infos := h.tell("games"); !strings.Contains(infos, "#1 ") || strings.Contains(infos, "#2 ") {
		t.Errorf("a role has opened a lobby: %s", infos)
	}
}

// tell is what the host answers to a command.
func (h *apiHost) tell(line string) string {
	h.t.Helper()
	answer, err := control.Send(h.t.Context(), h.config.ControlSocket(), control.Order{Command: line})
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.Join(answer.Lines, "\n") + answer.Refused
}

// A program that has not got its answer asks again, and nothing is done twice. What is opened
// can be ended, and its replay is there for moderators.
func TestOpenAndEnd(t *testing.T) {
	tier.All(t, "plays games in real time")
	t.Parallel()
	h := startAPI(t)
	_, built := builtin.Map()
	if status, text := h.put("admin", "one.w3x", "", bytes.NewReader(built)); status != 201 {
		t.Fatal(text)
	}
	post := func(key, path, body string) (int, string) {
		r, _ := http.NewRequest("POST", h.url+"/api/v1"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+h.tokens["admin"])
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", key)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text)
	}
	const lobby = `{"map":"one.w3x","name":"by program"}`
	status, first := post("k1", "/games", lobby)
	if status != 200 || !strings.Contains(first, "by program") {
		t.Fatalf("a lobby: %d %s", status, first)
	}
	if status, again := post("k1", "/games", lobby); status != 200 || again != first {
		t.Errorf("once more: %d %s, at first %s", status, again, first)
	}
	if status, text := post("k1", "/games", `{"map":"other"}`); status != 422 || !strings.Contains(text, "key_reused") {
		t.Errorf("another request with the same key: %d %s", status, text)
	}
	if status, text := post(strings.Repeat("k", 200), "/games", lobby); status != 422 || !strings.Contains(text, "bad_key") {
		t.Errorf("a long key: %d %s", status, text)
	}
	if open := strings.Count(h.tell("games"), "by program"); open != 1 {
		t.Errorf("%d lobbies are open: %s", open, h.tell("games"))
	}
	if status, _, text := h.ask("admin", "DELETE", "/api/v1/games/2", ""); status != 200 || strings.Contains(h.tell("games"), "#2 ") {
		t.Errorf("closed: %d %s", status, text)
	}

	playing := make(chan error, 1)
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		_, err := bots.Run(ctx, bots.Options{Addr: h.addr, Players: 2, ChatEvery: 100 * time.Millisecond})
		playing <- err
	}()
	h.log.Await(t, `#1 (all have loaded)`)
	if status, _, text := h.ask("moderator", "DELETE", "/api/v1/games/1", ""); status != 200 {
		t.Errorf("ended: %d %s", status, text)
	}
	h.log.Await(t, `#1 (over)`)
	leave()
	<-playing
	var past struct {
		Items []struct{ Key, Ended string }
	}
	testkit.Eventually(t, "the game log has the end", func() bool {
		_, _, text := h.ask("viewer", "GET", "/api/v1/history?player=bot-1", "")
		return json.Unmarshal([]byte(text), &past) == nil && len(past.Items) == 1 && past.Items[0].Ended != ""
	})
	path := "/api/v1/history/" + past.Items[0].Key
	testkit.Eventually(t, "the replay is written", func() bool {
		status, kind, text := h.ask("moderator", "GET", path+"/replay", "")
		t.Logf("%d %.300s", status, text)
		return status == 200 && kind == "application/octet-stream" && strings.HasPrefix(text, "Warcraft III recorded game")
	})
	if status, _, text := h.ask("moderator", "GET", path+"/chat", ""); status != 200 || !strings.Contains(text, `"name":"bot-1","scope":"lobby"`) {
		t.Errorf("the chat: %d %s", status, text)
	}
	for _, part := range []string{"/replay", "/chat", "/dossiers"} {
		if status, _, text := h.ask("viewer", "GET", path+part, ""); status != 403 {
			t.Errorf("%s for a viewer: %d %s", part, status, text)
		}
	}
}
