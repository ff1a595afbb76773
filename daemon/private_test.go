package daemon

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"w3host/bots"
	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// Viewers and strangers get no address and no private line: not on any page, not from any operation and not in any
// stream, while players with addresses of their own are in a lobby and when their game is over.
func TestNothingPrivate(t *testing.T) {
	tier.All(t, "plays games in real time")
	t.Parallel()
	h := startAPI(t)
	const whisper = "for your eyes only"
	ctx, leave := context.WithCancel(t.Context())
	played := make(chan error, 1)
	go func() {
		_, err := bots.Run(ctx, bots.Options{Addr: h.addr, GameID: 1, Players: 2, Play: time.Minute, LoadTime: 100 * time.Millisecond, NoStart: true, OwnAddresses: true})
		played <- err
	}()
	defer func() { leave(); <-played }()
	testkit.Eventually(t, "both bots are there", func() bool {
		return strings.Count(h.tell("players"), "bot-")+strings.Count(h.tell("games"), "2 of") > 0
	})
	infos := h.lists("admin", "/api/v1/games/1")
	if !strings.Contains(infos, `"address":"127.`) {
		t.Fatalf("admins see no address: %s", infos)
	}

	var streamed sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]string{}
	listen := func(role, path string) {
		r, _ := http.NewRequestWithContext(ctx, "GET", h.url+path, nil)
		if role != "" {
			r.Header.Set("Authorization", "Bearer "+h.tokens[role])
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s as %q: %v %v", path, role, answer, err)
			return
		}
		streamed.Go(func() {
			defer answer.Body.Close()
			for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
				mu.Lock()
				seen[path+" as "+role] += lines.Text() + "\n"
				mu.Unlock()
			}
		})
	}
	live := func(role, path string) (stream string) { // of a page
		var m []string
		testkit.Eventually(t, path+" lives", func() bool {
			m = regexp.MustCompile(`data-topic="([^"]+)" data-after="([^"]+)"`).FindStringSubmatch(h.lists(role, path))
			return m != nil
		})
		stream = "/events?topic=" + m[1] + "&after=" + m[2]
		listen(role, stream)
		return stream + " as " + role
	}
	live("viewer", "/")
	live("", "/public")
	page := live("viewer", "/games/1")
	listen("viewer", "/api/v1/events")
	listen("moderator", "/api/v1/events")
	listen("admin", "/api/v1/events")

	c := testkit.Dial(t, netip.MustParseAddrPort(h.addr))
	c.Conduct = testkit.Lobbyist
	go c.Listen() // ends with the test
	c.Send(testkit.JoinPacket(1, 0, "Whisperer"))
	join := c.Until(0x04)
	c.PID = join[6+binary.LittleEndian.Uint16(join[4:])] // behind the slots
	c.Say(whisper, 2)                                    // the number of the first bot
	c.Say("to everybody", 1, 2, 3, 4, 5)
	await := func(stream, text string) {
		t.Helper()
		testkit.Eventually(t, stream+" has "+text, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return strings.Contains(seen[stream], text)
		})
	}
	await("/api/v1/events as moderator", whisper)
	await("/api/v1/events as viewer", "to everybody")
	await(page, "to everybody")
	h.ask("admin", "POST", "/api/v1/games/1/commands", `{"line":"ban 127.9.9.9"}`)
	await("/api/v1/events as admin", "127.9.9.9")
	h.sweep(whisper, "1", "018f0000-0000-7000-8000-000000000000")
	h.ask("admin", "POST", "/api/v1/games/1/commands", `{"line":"kick Whisperer"}`)
	_ = c.Ended()
	if _, _, text := h.ask("admin", "POST", "/api/v1/games/1/commands", `{"line":"start force"}`); !strings.Contains(text, "lines") {
		t.Errorf("start: %s", text)
	}
	h.log.Await(t, `#1 (all have loaded)`)
	h.sweep(whisper, "1", "018f0000-0000-7000-8000-000000000000")
	h.ask("admin", "POST", "/api/v1/games/1/commands", `{"line":"end"}`)
	h.log.Await(t, `#1 (over)`)
	var past struct{ Items []struct{ Key, Ended string } }
	testkit.Eventually(t, "the game log has the end", func() bool {
		return json.Unmarshal([]byte(h.lists("viewer", "/api/v1/history?player=bot-1")), &past) == nil && len(past.Items) == 1 && past.Items[0].Ended != ""
	})
	if all := h.lists("admin", "/api/v1/history/"+past.Items[0].Key); !strings.Contains(all, whisper) || !strings.Contains(all, `"address":"127.`) {
		t.Errorf("admins do not see all: %s", all)
	}
	h.sweep(whisper, "1", past.Items[0].Key)
	leave()
	streamed.Wait()
	for stream, text := range seen {
		if strings.Contains(stream, "viewer") || strings.HasSuffix(stream, " as ") {
			h.clean(stream, text, whisper)
		}
	}
}

// lists is what a role gets.
func (h *apiHost) lists(role, path string) string {
	h.t.Helper()
	_, _, text := h.ask(role, "GET", path, "")
	return text
}

// clean finds addresses of players, and a private line.
func (h *apiHost) clean(what, text, whisper string) {
	h.t.Helper()
	if text = strings.ReplaceAll(text, h.url, ""); strings.Contains(text, "127.") || strings.Contains(text, whisper) {
		h.t.Errorf("%s tells what is private: %s", what, text)
	}
}

// sweep asks for every page and operation as a viewer and as a stranger.
func (h *apiHost) sweep(whisper, id, key string) {
	h.t.Helper()
	paths := []string{
		"/", "/games/" + id, "/maps", "/history", "/history/" + key, "/players", "/players/bot-1", "/players/Whisperer", "/bans", "/system", "/checks",
		"/autohost", "/realms", "/audit", "/access", "/public", "/status.json", "/zh/", "/matches", "/match/" + key, "/zh/match/" + key, "/matches.atom", "/allgames", "/gamelist", "/healthz", "/readyz", "/metrics", "/login",
	}
	file, err := os.ReadFile("../web/api/openapi.json")
	var s spec
	if err != nil || json.Unmarshal(file, &s) != nil {
		h.t.Fatal(err)
	}
	for path, methods := range s.Paths {
		if _, gets := methods["get"]; gets && path != "/events" {
			paths = append(paths, "/api/v1"+strings.NewReplacer("{id}", id, "{key}", key, "{name}", "bot-1").Replace(path))
		}
	}
	for _, path := range paths {
		for _, role := range []string{"", "viewer"} {
			h.clean(path+" as "+role, h.lists(role, path), whisper)
		}
	}
}
