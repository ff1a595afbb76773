package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/bots"
	"w3host/config"
	"w3host/control"
	"w3host/daemon/logging"
	"w3host/internal/testkit"
	"w3host/web/access"
)

// apiHost is a real host with a token of each role.
type apiHost struct {
	t      testing.TB
	config config.Config
	addr   string // of the games
	url    string
	tokens map[string]string
	log    *testkit.Log
}

func startAPI(t testing.TB) *apiHost { return startAPIWith(t, func(*config.Config) {}) }

func startAPIWith(t testing.TB, change func(*config.Config)) *apiHost {
	t.Helper()
	dir := t.TempDir()
	h := &apiHost{t: t, tokens: map[string]string{}, log: new(testkit.Log)}
	h.config = config.Default()
	c := &h.config
	c.Host.Listen, c.LAN.Enabled, c.Web.Listen, c.Lobby.Autostart = "127.0.0.1:0", false, "127.0.0.1:0", -1
	c.Host.DataDir, c.Replays.Dir = dir, filepath.Join(dir, "replays")
	c.Maps.Dir = filepath.Join(dir, "maps")
	change(c)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Options{
			Config: *c, Console: new(control.Console), Version: "test", Log: logging.ForPeople(h.log, zerolog.InfoLevel),
			Read: func() (config.Config, error) { return *c, nil },
			Examine: func(_ context.Context, _ config.Config, report func(what, detail, remedy string)) error {
				report("clock", "it is late", "go to bed")
				return nil
			},
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	h.addr = h.log.Await(t, `hosting on (\S+)`)
	h.url = h.log.Await(t, `(http://\S+)/login`)
	h.log.Await(t, `(#1 lobby)`)
	for _, name := range access.Roles() {
		h.tokens[name] = h.token("test "+name, name)
	}
	return h
}

// token makes one.
func (h *apiHost) token(name, role string) string {
	h.t.Helper()
	t := access.Token{Name: name}
	_ = t.Role.UnmarshalText([]byte(role))
	text, err := access.Open(h.config.WebAccess()).AddToken(t)
	if err != nil {
		h.t.Fatal(err)
	}
	return text
}

// ask asks again when it was too often.
func (h *apiHost) ask(role, method, path, body string) (status int, kind, text string) {
	h.t.Helper()
	for {
		r, err := http.NewRequest(method, h.url+path, strings.NewReader(body))
		if err != nil {
			h.t.Fatal(err)
		}
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		if token := h.tokens[role]; token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			h.t.Fatal(err)
		}
		var all []byte
		if kind = answer.Header.Get("Content-Type"); kind != "text/event-stream" { // which has no end
			all, err = io.ReadAll(answer.Body)
		}
		answer.Body.Close()
		if err != nil {
			h.t.Fatal(err)
		}
		if answer.StatusCode != http.StatusTooManyRequests {
			return answer.StatusCode, kind, string(all)
		}
		time.Sleep(100 * time.Millisecond) // as Retry-After asks, or less
	}
}

// watch opens a stream of events for a viewer; next waits for the data of the first.
func (h *apiHost) watch(kind string) (next func() string) {
	h.t.Helper()
	r, _ := http.NewRequest("GET", h.url+"/api/v1/events?types="+kind, nil)
	r.Header.Set("Authorization", "Bearer "+h.tokens["viewer"])
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Scan() // it comes when the stream watches
	return func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return "none"
	}
}

// Every role tries every operation, with nothing but what the OpenAPI file says, and what
// comes back is what it says.
func TestEveryRoleAndOperation(t *testing.T) {
	t.Parallel()
	h := startAPI(t)
	file, err := os.ReadFile("../web/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if status, _, served := h.ask("", "GET", "/api/v1/openapi.json", ""); status != 200 || !sameJSON(served, string(file)) {
		t.Errorf("the file that is served is another: %d", status)
	}
	var s spec
	if err := json.Unmarshal(file, &s); err != nil {
		t.Fatal(err)
	}
	roles, calls := append([]string{"public"}, access.Roles()...), 0
	for _, path := range slices.Sorted(maps.Keys(s.Paths)) {
		for method, o := range s.Paths[path] {
			needs := slices.Index(roles, o.Role)
			if needs < 0 {
				t.Errorf("%s has no role", o.OperationID)
			}
			for has, role := range roles {
				calls++
				status, kind, text := s.call(h, role, method, path, o)
				switch {
				case has == 0 && needs > 0 && status != 401, has > 0 && has < needs && status != 403, has >= needs && (status == 401 || status == 403):
					t.Errorf("%s as %s, which needs %s: %d %s", o.OperationID, role, o.Role, status, text)
				}
				answer, known := o.Responses[fmt.Sprint(status)]
				if !known {
					t.Errorf("%s as %s: %d is not described: %s", o.OperationID, role, status, text)
					continue
				}
				kind, _, _ = strings.Cut(kind, ";")
				described, known := answer.Content[kind]
				if text == "" && (len(answer.Content) == 0 || kind == "text/event-stream") {
					continue
				}
				var v any
				if err := json.Unmarshal([]byte(text), &v); err != nil || !known {
					t.Errorf("%s as %s: %d %s: %s", o.OperationID, role, status, kind, text)
				} else if err := s.check(o.OperationID, &described.Schema, v); err != nil {
					t.Errorf("%v in %s", err, text)
				}
			}
		}
	}
	if calls < 18*5 {
		t.Errorf("only %d calls", calls)
	}
	for _, token := range h.tokens {
		if strings.Contains(h.log.String(), token) {
			t.Error("the log has a token")
		}
	}
}

var pingOf = regexp.MustCompile(` ping_ms:\d+`)

// steady is the text of data without what changes from one answer to the next.
func steady(data any) string { return pingOf.ReplaceAllString(fmt.Sprint(data), "") }

// Commands answer by the API as they do by the control socket, and what viewers see has no
// address.
func TestCommandsByAPI(t *testing.T) {
	t.Parallel()
	h := startAPI(t)
	joined := h.watch("player.joined")
	playing := make(chan error, 1)
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		_, err := bots.Run(ctx, bots.Options{Addr: h.addr, Players: 3, NoStart: true})
		playing <- err
	}()
	defer func() { leave(); <-playing }()
	if text := joined(); !strings.Contains(text, `"player":"bot-`) || strings.Contains(text, "127.0.0.1") {
		t.Errorf("the event of a join: %s", text)
	}
	testkit.Eventually(t, "three players are in the lobby, with the map", func() bool {
		_, _, text := h.ask("viewer", "GET", "/api/v1/games", "")
		return strings.Count(text, `"name":"bot`) == 3 && strings.Count(text, `"map":100`) == 3
	})
	for _, c := range []struct {
		game uint32
		line string
	}{
		{0, "games"},
		{0, "help kick"},
		{0, "nonsense"},
		{0, "kick nobody"},
		{1, "kick nobody"},
		{1, "latency 5"},
		{1, "hold Rook"},
		{0, "stats nobody"},
		{0, "maps"},
		{1, "players"},
		{0, "checkban nobody"},
		{1, "say hello"},
	} {
		want, err := control.Send(t.Context(), h.config.ControlSocket(), control.Order{Command: c.line, Game: c.game})
		if err != nil {
			t.Fatal(err)
		}
		path := "/api/v1/commands"
		if c.game > 0 {
			path = fmt.Sprintf("/api/v1/games/%d/commands", c.game)
		}
		body, _ := json.Marshal(map[string]string{"line": c.line})
		status, _, text := h.ask("root", "POST", path, string(body))
		var got struct {
			Lines  []string
			Detail string
			Code   string
		}
		_ = json.Unmarshal([]byte(text), &got)
		var data struct{ Data any }
		_ = json.Unmarshal([]byte(text), &data)
		if steady(data.Data) != steady(want.Data) || slices.Contains([]string{"games", "stats nobody", "checkban nobody"}, c.line) != (want.Data != nil) {
			t.Errorf("%q: the data are %v; those of the socket %v", c.line, data.Data, want.Data)
		}
		refused := map[bool]int{true: http.StatusConflict, false: http.StatusOK}[want.Refused != ""]
		if status != refused || got.Detail != want.Refused || len(want.Lines) > 0 && !slices.Equal(got.Lines, want.Lines) {
			t.Errorf("%q: %d %s; the socket answers %q", c.line, status, text, want)
		}
	}
	if status, _, text := h.ask("viewer", "POST", "/api/v1/games/1/commands", `{"line":"close 4"}`); status != 409 || !strings.Contains(text, "refused") {
		t.Errorf("a viewer commands: %d %s", status, text)
	}
	if status, _, text := h.ask("moderator", "POST", "/api/v1/games/1/commands", `{"line":"close 9"}`); status != 200 {
		t.Errorf("a moderator commands: %d %s", status, text)
	}
	for path, shown := range map[string]bool{"/api/v1/games": true, "/api/v1/games/1": true, "/api/v1/history": false} {
		_, _, text := h.ask("viewer", "GET", path, "")
		if strings.Contains(text, "127.0.0.1") || strings.Contains(text, "address") {
			t.Errorf("a viewer reads an address: %s", text)
		}
		if _, _, text := h.ask("admin", "GET", path, ""); shown && !strings.Contains(text, `"address":"127.0.0.1"`) {
			t.Errorf("an admin reads none: %s", text)
		}
	}
	status, _, text := h.ask("", "GET", "/status.json", "")
	if status != 200 || !strings.Contains(text, `"open":[{"name":"w3host game"`) || strings.Contains(text, "bot") || strings.Contains(text, "127.0.0.1") {
		t.Errorf("what anybody may know: %d %s", status, text)
	}
}

// What makes no sense is refused, with all faults at once, and breaks nothing.
func FuzzBodies(f *testing.F) {
	for _, body := range []string{
		`{"line":"games"}`, `{}`, `{"line":7}`, `[`, `{"line":"` + strings.Repeat("x", 2000) + `"}`, "\x00", `{"line":"\u0000"}`, `null`, `{"line":"a","line":"b"}`,
		`{"entry":"x"}`, `{"name":"a","role":"root","password":""}`, `{"name":"a","role":"viewer","ttl":"-1"}`,
	} {
		f.Add(body)
	}
	h := startAPI(f)
	f.Fuzz(func(t *testing.T, body string) {
		h := &apiHost{t: t, url: h.url, tokens: h.tokens}
		for path, who := range map[string]string{"commands": "viewer", "games/1/commands": "viewer", "games": "root", "accounts": "root", "tokens": "root"} {
			status, _, text := h.ask(who, "POST", "/api/v1/"+path, body)
			if status >= 500 || status == 200 && !strings.HasPrefix(text, "{") {
				t.Errorf("%s with %q: %d %s", path, body, status, text)
			}
		}
	})
}
