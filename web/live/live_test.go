package live

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"w3host/game"
	"w3host/host"
	"w3host/internal/testkit"
	"w3host/lobby"
	gamesync "w3host/sync"
	"w3host/web/hub"
	"w3host/web/view"
)

// fakeHost answers with what a test says.
type fakeHost map[uint32]*game.Snapshot

func (f fakeHost) Infos() []host.Info { return nil }

func (f fakeHost) Snapshot(id uint32, use func(*game.Snapshot)) { use(f[id]) }

// drain takes the answers that wait, as Run does.
func (l *Live) drain() {
	for {
		select {
		case a := <-l.answers:
			l.locked(a)
		default:
			return
		}
	}
}

// reader is a browser, as far as values go: it opens a page and applies what comes.
type reader struct {
	mu     sync.Mutex
	values map[string]view.Value
	last   string
	loads  int
}

func (r *reader) load(l *Live, t view.Topic) {
	values, after, _ := l.Open(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values, r.last = all(values), after
	r.loads++
}

func all(v view.Values) map[string]view.Value {
	list := map[string]view.Value{}
	for _, key := range v.Keys() {
		list[key] = v.Value(key)
	}
	return list
}

// watch reads a stream until it or ctx ends, or until so many frames have come.
func (r *reader) watch(ctx context.Context, t *testing.T, url string, frames int) (resync bool) {
	t.Helper()
	r.mu.Lock()
	url += "?after=" + r.last
	r.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		if ctx.Err() == nil {
			t.Error(err)
		}
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	lines, id, event := bufio.NewScanner(resp.Body), "", ""
	lines.Buffer(nil, 1<<20)
	for frames != 0 && lines.Scan() {
		switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
		case "id":
			id = value
		case "event":
			event = value
		case "data":
			if event == "resync" {
				return true
			}
			r.apply(t, id, value)
			frames--
		}
	}
	return false
}

func (r *reader) apply(t *testing.T, id, data string) {
	t.Helper()
	var ops [][]json.RawMessage
	if err := json.Unmarshal([]byte(data), &ops); err != nil {
		t.Errorf("%s: %v", data, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = id
	for _, op := range ops {
		var sign string
		_ = json.Unmarshal(op[0], &sign)
		key := sign[1:]
		switch v := r.values[key]; sign[0] {
		case '=':
			_ = json.Unmarshal(op[1], &v.Text)
			r.values[key] = v
		case '*':
			v = view.Value{}
			_ = json.Unmarshal(op[1], &v.Rows)
			r.values[key] = v
			maps.DeleteFunc(r.values, func(k string, _ view.Value) bool {
				rest, inside := strings.CutPrefix(k, key+"/")
				row, _, _ := strings.Cut(rest, "/")
				return inside && !slices.Contains(v.Rows, row)
			})
		case '+':
			var from int
			var items [][]string
			_, _ = json.Unmarshal(op[1], &from), json.Unmarshal(op[2], &items)
			tail := view.Tail{End: from + len(items)}
			if v.Tail != nil && v.Tail.End == from {
				tail.Items = slices.Clone(v.Tail.Items)
			}
			tail.Items = append(tail.Items, items...)
			r.values[key] = view.Value{Tail: &tail}
		}
	}
}

// equal compares with a page that is opened now. Of a tail the page has at least what a fresh
// one has, and ends where that ends.
func (r *reader) equal(fresh map[string]view.Value) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, want := range fresh {
		got := r.values[key]
		if want.Tail != nil && got.Tail != nil {
			g, w := got.Tail.Items, want.Tail.Items
			if got.Tail.End == want.Tail.End && len(g) >= len(w) && reflect.DeepEqual(g[len(g)-len(w):], w) || len(w) == 0 {
				continue
			}
			return fmt.Sprintf("%s: %d %q, want %d %q", key, got.Tail.End, g, want.Tail.End, w)
		}
		if got.Text != want.Text || !slices.Equal(got.Rows, want.Rows) {
			return fmt.Sprintf("%s: %q %v, want %q %v", key, got.Text, got.Rows, want.Text, want.Rows)
		}
	}
	for key := range r.values {
		if _, there := fresh[key]; !there {
			return key + " is not on a fresh page"
		}
	}
	return ""
}

// A line that is cut a hundred times, and events that are lost: in the end the page shows
// what a fresh one shows, key by key.
func TestCutLine(t *testing.T) {
	l := New(hub.New(func(hub.Watcher) {}), Options{Standing: func() view.Host { return view.Host{} }})
	topic := view.Topic{Page: view.GamePage, Game: 3, Reader: view.Admins}
	games := fakeHost{3: {Name: "Fun"}, 4: {Name: "Other"}}
	random := rand.New(rand.NewPCG(27, 27))
	step := func() {
		churn(random, l, games)
		l.look(games)
		l.drain()
	}
	put(&l.ring, view.Event{Game: 3, Kind: view.Opened, At: since1970()})
	step()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.Hub.Serve(w, r, hub.Watcher{Name: "test", Topics: []string{topic.String()}})
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	var r reader
	r.load(l, topic)
	for cut := range 100 {
		ended := make(chan bool)
		go func(frames int) { ended <- r.watch(t.Context(), t, server.URL, frames) }(1 + random.IntN(5))
		for done := false; !done; {
			select {
			case resync := <-ended:
				if done = true; resync {
					r.load(l, topic)
				}
			default:
				step()
			}
		}
		for range random.IntN(10) { // while nobody watches
			step()
		}
		if cut%20 == 10 { // more than is kept: the page is loaded again, but not at the end
			for range 200 {
				step()
			}
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	watching.Go(func() {
		for r.watch(ctx, t, server.URL, -1) {
			r.load(l, topic)
		}
	})
	defer watching.Wait()
	defer stop()
	l.look(games)
	fresh, _, _ := l.Open(topic)
	want := all(fresh)
	for began := time.Now(); r.equal(want) != ""; time.Sleep(time.Millisecond) {
		if time.Since(began) > testkit.Patience {
			t.Fatal(r.equal(want))
		}
	}
	if r.loads < 3 {
		t.Errorf("loaded %d times: nothing was lost on the way", r.loads)
	}
	l.locked(func(v *view.View) {
		if v.Lost() == 0 {
			t.Error("no event was lost")
		}
	})
}

// put offers an event as an observer does.
func put(r *ring, e view.Event) {
	if at := r.next(); at != nil {
		n := at.N
		*at = e
		at.N = n
	}
	r.put()
}

// churn lets something happen, and loses some of it.
func churn(random *rand.Rand, l *Live, games fakeHost) {
	for range random.IntN(4) {
		e := view.Event{
			Game: 3 + uint32(random.IntN(2)), At: since1970(), PID: uint8(random.IntN(3)), Name: fmt.Sprint("P", random.IntN(5)),
			Kind: []view.Kind{view.Changed, view.Joined, view.Left, view.Said, view.Turns, view.LagBegan, view.LagEnded, view.Desynced}[random.IntN(8)],
			Text: fmt.Sprint("<i>", random.IntN(1000)),
		}
		e.Late = view.Lateness{Turns: 10, Max: time.Duration(random.IntN(1e8))}
		if random.IntN(10) == 0 {
			l.ring.offered.Add(1) // as if there had been no room
			continue
		}
		put(&l.ring, e)
	}
	s := *games[3]
	s.Stage, s.Turn = game.Stage(random.IntN(5)), uint32(random.IntN(100))
	s.Slots = nil
	for i := range random.IntN(12) {
		slot := game.SnapshotSlot{Name: fmt.Sprint("P", i), RTT: time.Duration(random.IntN(1e9)), Behind: random.IntN(3)}
		slot.PID, slot.Status, slot.Colour = uint8(i+1), 2, uint8(random.IntN(12))
		s.Slots = append(s.Slots, slot)
	}
	games[3] = &s
	l.locked(func(v *view.View) {
		if random.IntN(3) == 0 {
			v.Second()
		}
		v.Snapshot(since1970(), 3, games[3])
	})
}

// A fact costs nothing that a game would notice, whether there is room for it or not.
func BenchmarkOffer(b *testing.B) {
	facts := map[string]game.Fact{
		"joined": &game.Joined{Player: game.Player{PID: 1, Name: "Ann"}},
		"said":   &game.Said{Said: lobby.Said{PID: 1, Name: "Ann", Text: "hello"}},
		"turned": &gamesync.Turn{Number: 1, Late: time.Millisecond},
	}
	for name, fact := range facts {
		for _, full := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/full=%v", name, full), func(b *testing.B) {
				b.ReportAllocs()
				var r ring
				o := &observer{ring: &r}
				s := game.Stamped{Fact: fact}
				for b.Loop() {
					if !full {
						r.head.Store(r.tail.Load())
					}
					o.Observe(&s)
				}
			})
		}
	}
}

// A fact costs no memory, whether there is room for it or not.
func TestOfferAllocatesNothing(t *testing.T) {
	for name, room := range map[string]bool{"room": true, "full": false} {
		t.Run(name, func(t *testing.T) { offerAllocatesNothing(t, room) })
	}
}

func offerAllocatesNothing(t *testing.T, room bool) {
	t.Helper()
	var r ring
	for !room && r.tail.Load() < ringLen {
		put(&r, view.Event{})
	}
	o := &observer{ring: &r}
	at := time.Duration(0)
	for _, fact := range []game.Fact{
		&game.Joined{Player: game.Player{PID: 1, Name: "Ann"}}, &game.Said{Said: lobby.Said{Text: "hello"}}, &game.HostSaid{By: "Rook", Text: "hello"},
		&gamesync.Turn{Late: time.Millisecond}, &gamesync.Lag{}, &gamesync.Desync{}, &game.Commanded{Line: "kick bob"},
		&game.LinkLost{Why: "reset"}, &game.LeftGame{Why: "left"}, &game.Started{}, &game.Listed{}, &game.Closed{Why: "empty"},
	} {
		n := testing.AllocsPerRun(100, func() {
			at += time.Second / 2
			o.Observe(&game.Stamped{At: at, Fact: fact})
		})
		if n > 0 {
			t.Errorf("%T: %v allocations", fact, n)
		}
	}
}

// What the host says to all for somebody comes with the name of who wanted it.
func TestHostSaid(t *testing.T) {
	var l Live
	l.Observe(1, "key").Observe(&game.Stamped{Fact: &game.HostSaid{By: "Rook", Text: "hello"}})
	l.ring.take(func(e *view.Event) {
		if e.Kind != view.HostSaid || e.Name != "Rook" || e.Text != "hello" {
			t.Errorf("%+v", e)
		}
	})
}

// What the process before has told is told no page twice, and what follows has its time.
func TestAgain(t *testing.T) {
	var l Live
	o := l.Observe(1, "key")
	const played = time.Hour
	o.Observe(&game.Stamped{At: played, Fact: &game.Joined{}, Again: true})
	if l.ring.offered.Load() != 0 {
		t.Error("a fact came twice")
	}
	o.Observe(&game.Stamped{At: played + time.Second, Fact: &game.Joined{}})
	l.ring.take(func(e *view.Event) {
		if away := e.At - since1970(); away > time.Second || away < -time.Minute {
			t.Errorf("the event is %v away from now", away)
		}
	})
}

// A ring that is full loses what comes, and says how much.
func TestRingFull(t *testing.T) {
	var r ring
	for range ringLen + 5 {
		put(&r, view.Event{})
	}
	n := uint64(0)
	through := r.take(func(e *view.Event) { n = e.N })
	if n != ringLen || through != ringLen+5 {
		t.Errorf("the last event is %d of %d", n, through)
	}
	put(&r, view.Event{})
	if r.take(func(e *view.Event) { n = e.N }); n != ringLen+6 {
		t.Errorf("the next is %d", n)
	}
}

// A fault of what is shown ends nothing else: the events behind it come.
func TestFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		l := New(hub.New(func(hub.Watcher) {}), Options{
			Standing: func() view.Host { return view.Host{} },
			Each: func(e *view.Event) {
				if e.Name == "Ann" {
					panic("no page for Ann")
				}
				told = append(told, e.Name)
			},
			Fault: func(fault any, _ []byte) { told = append(told, fmt.Sprint(fault)) },
		})
		ctx, stop := context.WithCancel(t.Context())
		go l.Run(ctx, fakeHost{})
		for _, name := range []string{"Bob", "Ann", "Cid"} {
			put(&l.ring, view.Event{Game: 3, Kind: view.Joined, Name: name})
		}
		time.Sleep(10 * time.Second)
		stop()
		synctest.Wait()
		if want := "[Bob no page for Ann Cid]"; fmt.Sprint(told) != want {
			t.Errorf("%v, want %v", told, want)
		}
	})
}

// The other hosts are asked for while somebody watches a page that shows them, and not otherwise.
func TestFleetIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		l := New(hub.New(func(hub.Watcher) {}), Options{Standing: func() view.Host { return view.Host{} }, Fleet: func(context.Context) *view.Fleet {
			asked.Add(1)
			return &view.Fleet{Hosts: []view.FleetHost{{Number: 2, Name: "gru"}}}
		}})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go l.Run(ctx, fakeHost{})
		topic := view.Topic{Page: view.GamesPage}
		_, after, _ := l.Open(topic)
		time.Sleep(4 * fleetEvery)
		if n := asked.Load(); n > 0 {
			t.Errorf("asked %d times for nobody", n)
		}
		stream, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/?after="+after, nil)
		go l.Hub.Serve(stream, r.WithContext(ctx), hub.Watcher{Name: "test", Topics: []string{topic.String()}})
		time.Sleep(2 * fleetEvery)
		stop()
		synctest.Wait()
		if !strings.Contains(stream.Body.String(), `["=hosts/2/name","gru"]`) {
			t.Errorf("the page does not show the other host: %s", stream.Body)
		}
	})
}
