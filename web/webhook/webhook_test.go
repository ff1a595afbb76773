package webhook

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"w3host/internal/testkit"
	"w3host/web/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// request is one that a site got.
type request struct {
	http.Header
	body []byte
}

// site answers as its script says, one answer for each request, then 204.
type site struct {
	*httptest.Server
	got chan request
	mu  sync.Mutex
	say []func(http.ResponseWriter, *http.Request)
}

func openSite(t *testing.T, say ...func(http.ResponseWriter, *http.Request)) *site {
	s := &site{got: make(chan request, 1000), say: say}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
		s.mu.Lock()
		if len(s.say) > 0 {
			answer, s.say = s.say[0], s.say[1:]
		}
		s.mu.Unlock()
		s.got <- request{r.Header, body}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func code(n int, headers ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(n)
	}
}

// hang answers nothing until the caller has gone.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// cut ends the connection in the middle of the answer's head.
func cut(w http.ResponseWriter, _ *http.Request) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

func (s *site) next(t *testing.T) request {
	t.Helper()
	select {
	case r := <-s.got:
		return r
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was sent")
		return request{}
	}
}

func openHooks(t *testing.T, hooks ...Hook) (*Hooks, *testkit.Log) {
	log := new(testkit.Log)
	h := New(Options{Host: "here", Log: zerolog.New(log), First: 5 * time.Millisecond, Within: 300 * time.Millisecond, Game: func(id uint32) (Game, bool) {
		return Game{Name: "Friday", Map: "a.w3x", Entry: map[uint32]string{1: "one", 2: "two"}[id], Private: id == 3}, id < 9
	}})
	h.Use(hooks)
	t.Cleanup(h.Close)
	return h, log
}

var key = []byte("0123456789abcdef01234567")

func opened(game uint32) api.Event {
	return api.Event{Type: "lobby.opened", At: time.Unix(1e9, 0).UTC(), Game: game, Key: "k", Player: "Rook"}
}

// Whatever goes wrong at a site, it has each event at last, under one id, and once only.
func TestSitesThatFail(t *testing.T) {
	s := openSite(t, code(500), cut, hang, code(429, "Retry-After", "0.2"), code(503, "Retry-After", "nonsense"), code(200))
	h, log := openHooks(t, Hook{Label: "w", URL: s.URL + "/secret", Key: key, Events: []string{"lobby.opened"}})
	h.Send(opened(1))
	id := ""
	var asked time.Time
	for n := range 6 {
		r := s.next(t)
		if id == "" {
			id = r.Get("Webhook-Id")
		}
		if r.Get("Webhook-Id") != id || id == "" {
			t.Errorf("try %d has the id %q, not %q", n, r.Get("Webhook-Id"), id)
		}
		if want := "v1," + sign(key, id, r.Get("Webhook-Timestamp"), r.body); r.Get("Webhook-Signature") != want {
			t.Errorf("signature %q, want %q", r.Get("Webhook-Signature"), want)
		}
		var got Delivery
		if err := json.Unmarshal(r.body, &got); err != nil || got.Host != "here" || got.Name != "Friday" || got.Entry != "one" || got.Player != "Rook" || got.Type != "lobby.opened" {
			t.Errorf("%s: %v", r.body, err)
		}
		switch n {
		case 3:
			asked = time.Now()
		case 4:
			if d := time.Since(asked); d < 150*time.Millisecond {
				t.Errorf("asked to wait 200ms, it came again after %v", d)
			}
		}
	}
	h.Send(opened(2))
	if r := s.next(t); r.Get("Webhook-Id") == id {
		t.Error("two events have one id")
	}
	if text := log.String(); text != "" {
		t.Error(text)
	}
}

// What does not help is not tried again; the log names the site without its URL.
func TestSitesThatRefuse(t *testing.T) {
	for _, answer := range []func(http.ResponseWriter, *http.Request){code(400), code(410), code(302, "Location", "http://127.0.0.1:1/elsewhere")} {
		s := openSite(t, answer)
		h, log := openHooks(t, Hook{Label: "webhook 1 (x)", URL: s.URL + "/pass?word=secret", Events: []string{"lobby.opened"}})
		h.Send(opened(1))
		s.next(t)
		h.Send(opened(2))
		s.next(t)
		log.Await(t, `(webhook 1)`)
		if text := log.String(); strings.Contains(text, "secret") || strings.Contains(text, "127.0.0.1") {
			t.Errorf("the log has the URL: %s", text)
		}
	}
	gone := openSite(t)
	url := gone.URL + "/secret"
	gone.Close()
	h, log := openHooks(t, Hook{Label: "w", URL: url, Events: []string{"lobby.opened"}})
	h.Send(opened(1))
	if log.Await(t, `(refused)`); strings.Contains(log.String(), "secret") {
		t.Error(log.String())
	}
}

// A site that hangs holds up neither who tells nor the others, and has a bound.
func TestSitesThatHang(t *testing.T) {
	hanging, well := openSite(t), openSite(t)
	for range 2000 {
		hanging.say = append(hanging.say, hang)
	}
	events := []string{"lobby.opened"}
	h, log := openHooks(t, Hook{Label: "h", URL: hanging.URL, Events: events}, Hook{Label: "w", URL: well.URL, Events: events, Entries: []string{"two"}})
	hanging.waitFor(t, h)
	for range 1000 {
		h.Send(opened(1))
	}
	h.Send(opened(2))
	h.Send(opened(3)) // private
	h.Send(api.Event{Type: "game.ended", Game: 2})
	var got Delivery
	if r := well.next(t); json.Unmarshal(r.body, &got) != nil || got.Entry != "two" {
		t.Errorf("%s", r.body)
	}
	log.Await(t, `(too many wait)`)
	if n := len(h.senders[0].queue); n > queued {
		t.Errorf("%d wait", n)
	}
	select {
	case r := <-well.got:
		t.Errorf("also sent: %s", r.body)
	case <-time.After(50 * time.Millisecond):
	}
	before := h.senders[1]
	h.Use([]Hook{before.hook})
	if len(h.senders) != 1 || h.senders[0] != before {
		t.Error("a site that did not change was not kept")
	}
}

// waitFor waits until the site has its first request.
func (s *site) waitFor(t *testing.T, h *Hooks) {
	t.Helper()
	h.Send(opened(1))
	s.next(t)
}

// Names make no markup, link or mention on Discord.
func TestDiscord(t *testing.T) {
	s := openSite(t)
	h, _ := openHooks(t, Hook{Label: "d", URL: s.URL, Discord: true, Events: []string{"chat"}, Template: "**{{.Name}}** {{.Player}}: {{.Text}}"})
	h.Send(api.Event{Type: "chat", Game: 1, Player: "@everyone", Text: "[x](http://evil.example) *b* \u202e" + strings.Repeat("x", 3000)})
	var got struct {
		Content  string
		Flags    int
		Mentions struct{ Parse []string } `json:"allowed_mentions"`
	}
	if r := s.next(t); json.Unmarshal(r.body, &got) != nil || len([]rune(got.Content)) != mostDiscord || got.Mentions.Parse == nil || got.Flags != 4 {
		t.Fatalf("%s", r.body)
	}
	if want := `**Friday** \@everyone: \[x\]\(http\://evil\.example\) \*b\* `; !strings.HasPrefix(got.Content, want) || strings.Contains(got.Content, "\u202e") {
		t.Errorf("%q, want %q", got.Content[:80], want)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		hook Hook
		want string
	}{
		{Hook{}, "events is empty: choose of audit, chat"},
		{Hook{Events: []string{"game.turns"}}, `events = "game.turns": the types are audit`},
		{Hook{Events: []string{"chat"}, Template: "{{.Nme}}"}, "it has .Type .Host .Name"},
		{Hook{Events: []string{"chat"}, Template: "{{"}, "it has .Type .Host .Name"},
	} {
		if faults := c.hook.Check(); len(faults) != 1 || !strings.Contains(faults[0].Error(), c.want) {
			t.Errorf("%+v: %v", c.hook, faults)
		}
	}
	if faults := (&Hook{Events: []string{"chat", "lobby.opened"}, Template: plain}).Check(); faults != nil {
		t.Error(faults)
	}
}

// The example of standardwebhooks.com.
func TestSign(t *testing.T) {
	secret, _ := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	got := sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if want := "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
