package api

import (
	"bufio"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"w3host/internal/testkit"
	"w3host/storage"
	"w3host/web"
	"w3host/web/access"
	"w3host/web/hub"
	"w3host/web/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stream is a client that reads events.
type stream struct {
	t     *testing.T
	body  *bufio.Scanner
	close func()
}

// next reads the next event; its data is decoded.
func (s *stream) next() (id, name string, e Event) {
	s.t.Helper()
	for s.body.Scan() {
		switch key, value, _ := strings.Cut(s.body.Text(), ": "); key {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			if err := json.Unmarshal([]byte(value), &e); err != nil {
				s.t.Errorf("%s: %v", value, err)
			}
			return id, name, e
		}
	}
	s.t.Fatal("the stream has ended")
	return "", "", e
}

type eventsRig struct {
	*Events
	t      *testing.T
	url    string
	store  *access.Store
	tokens map[access.Role]string
}

func openEvents(t *testing.T) *eventsRig {
	t.Helper()
	rig := &eventsRig{Events: NewEvents(func(hub.Watcher) {}), t: t, tokens: map[access.Role]string{}}
	store := access.Open(filepath.Join(t.TempDir(), "web.json"))
	rig.store = store
	s, err := web.Open(web.Options{Listen: "127.0.0.1:0", Access: store, Log: zerolog.Nop(), Audit: func(storage.AdminAction) {}})
	if err != nil {
		t.Fatal(err)
	}
	Register(s, Options{Events: rig.Events, Access: store})
	for _, role := range []access.Role{access.Viewer, access.Moderator, access.Admin} {
		if rig.tokens[role], err = store.AddToken(access.Token{Name: role.String(), Role: role}); err != nil {
			t.Fatal(err)
		}
	}
	rig.url = "http://" + s.Addr().String() + prefix + "/events"
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context()) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return rig
}

func (rig *eventsRig) open(role access.Role, query string) (*stream, int) {
	rig.t.Helper()
	r, _ := http.NewRequest("GET", rig.url+"?"+query, nil)
	if role > access.Public {
		r.Header.Set("Authorization", "Bearer "+rig.tokens[role])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		rig.t.Fatal(err)
	}
	s := &stream{rig.t, bufio.NewScanner(answer.Body), func() { answer.Body.Close() }}
	rig.t.Cleanup(s.close)
	if answer.StatusCode == http.StatusOK {
		s.body.Scan() // the first line comes when the stream watches
	}
	return s, answer.StatusCode
}

func (rig *eventsRig) tell(kind view.Kind, change func(*view.Event)) {
	e := view.Event{Kind: kind, Game: 3, Key: "k", At: time.Duration(1e18), Name: "Rook"}
	if change != nil {
		change(&e)
	}
	rig.Publish(&e)
}

// Who may read what: a viewer no private line and no command, whatever is asked.
func TestEventsByRole(t *testing.T) {
	rig := openEvents(t)
	for _, c := range []struct {
		role  access.Role
		types string
		want  int
	}{
		{access.Public, "", 401},
		{access.Viewer, "", 200},
		{access.Viewer, "chat.private", 403},
		{access.Viewer, "chat,audit", 403},
		{access.Moderator, "chat.private", 200},
		{access.Moderator, "audit", 403},
		{access.Admin, "audit,chat.private", 200},
		{access.Viewer, "anything", 422},
	} {
		s, status := rig.open(c.role, "types="+c.types)
		if s.close(); status != c.want {
			t.Errorf("%q as %v: %d, want %d", c.types, c.role, status, c.want)
		}
	}
	streams := map[access.Role]*stream{}
	for role := range rig.tokens {
		streams[role], _ = rig.open(role, "")
	}
	rig.tell(view.Commanded, func(e *view.Event) { e.Text = "banip 203.0.113.7" })
	rig.tell(view.Said, func(e *view.Event) { e.Text, e.To = "for allies", view.ToAllies })
	rig.tell(view.Left, func(e *view.Event) { e.Text = "read tcp 203.0.113.7: reset" })
	rig.tell(view.Said, func(e *view.Event) { e.Text = "for all" })
	for role, want := range map[access.Role]string{
		access.Viewer: "player.left: chat:for all", access.Moderator: "chat.private:for allies player.left: chat:for all",
		access.Admin: "audit:banip 203.0.113.7 chat.private:for allies player.left: chat:for all",
	} {
		got := ""
		for !strings.HasSuffix(got, "for all") {
			_, name, e := streams[role].next()
			got = strings.TrimSpace(got + " " + name + ":" + e.Text)
		}
		if got != want {
			t.Errorf("%v reads %s, want %s", role, got, want)
		}
	}
}

// Nothing is missed by a line that breaks, and a gap that is too large is said.
func TestEventsResume(t *testing.T) {
	rig := openEvents(t)
	s, _ := rig.open(access.Viewer, "types=chat,game.lag")
	rig.tell(view.Said, func(e *view.Event) { e.Text = "one" })
	id, name, e := s.next()
	if name != "chat" || e != (Event{Type: "chat", At: time.Unix(1e9, 0).UTC(), Game: 3, Key: "k", Player: "Rook", Text: "one"}) {
		t.Errorf("%s %+v", name, e)
	}
	s.close()
	rig.tell(view.Joined, nil) // not asked for
	rig.tell(view.LagBegan, nil)
	rig.tell(view.Said, func(e *view.Event) { e.Text = "two" })
	s, _ = rig.open(access.Viewer, "types=chat,game.lag&after="+id)
	if _, name, e := s.next(); name != "game.lag" || !e.Lags {
		t.Errorf("after the break comes %s", name)
	}
	if _, _, e := s.next(); e.Text != "two" {
		t.Errorf("then %+v", e)
	}
	for range 100 {
		rig.tell(view.Said, nil)
	}
	s, _ = rig.open(access.Viewer, "types=chat&after="+id)
	if _, name, _ := s.next(); name != "resync" {
		t.Errorf("a gap that is too large is answered with %s", name)
	}
}

// With the token ends what it has opened.
func TestEventsEndWithTheToken(t *testing.T) {
	rig := openEvents(t)
	s, _ := rig.open(access.Admin, "")
	other, _ := rig.open(access.Viewer, "types=chat")
	if err := rig.store.RemoveToken(access.Admin.String()); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(20*time.Second, s.close).Stop()
	for s.body.Scan() {
		continue
	}
	if err := s.body.Err(); err != nil {
		t.Errorf("the stream goes on: %v", err)
	}
	rig.tell(view.Said, nil)
	if _, name, _ := other.next(); name != "chat" {
		t.Errorf("another stream reads %s", name)
	}
}

// One account cannot take all streams.
func TestEventsAreBounded(t *testing.T) {
	rig := openEvents(t)
	for range accountStreams {
		if _, status := rig.open(access.Viewer, ""); status != 200 {
			t.Fatalf("%d", status)
		}
	}
	s, status := rig.open(access.Viewer, "")
	if s.body.Scan(); status != 429 || !strings.Contains(s.body.Text(), `"code":"too_many_streams"`) {
		t.Errorf("one too many: %d %s", status, s.body.Text())
	}
	if _, status := rig.open(access.Admin, ""); status != 200 {
		t.Errorf("another account: %d", status)
	}
	testkit.Eventually(t, "the streams are counted", func() bool {
		watching, _ := rig.hub.Watchers()
		return len(watching) == accountStreams+1
	})
}
