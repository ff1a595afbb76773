package hub

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"w3host/internal/testkit"
)

// open makes a hub with topics a and b.
func open(dropped func(Watcher)) *Hub {
	h := New(dropped)
	h.run = "run"
	h.Keep("a")
	h.Keep("b")
	return h
}

// Who does not read is dropped, by name, and nobody else misses anything.
func TestSlowWatcherIsDropped(t *testing.T) {
	var dropped []string
	h := open(func(w Watcher) { dropped = append(dropped, w.Name) })
	slow, _, _ := h.watch(Watcher{Name: "slow", Topics: []string{"a", "b"}}, "")
	quick, _, _ := h.watch(Watcher{Name: "quick", Topics: []string{"a"}}, "")
	for i := range queued + 1 {
		h.Publish("a", "patch", fmt.Append(nil, i))
		if got := string(<-quick.frames); !strings.Contains(got, fmt.Sprintf("data: %d\n", i)) {
			t.Fatalf("frame %d: %q", i, got)
		}
	}
	if fmt.Sprint(dropped) != "[slow]" || h.Watched("b") || !h.Watched("a") {
		t.Errorf("dropped %v; b is watched: %v", dropped, h.Watched("b"))
	}
	for range queued {
		<-slow.frames
	}
	if _, open := <-slow.frames; open {
		t.Error("the stream of the slow one goes on")
	}
	if list, n := h.Watchers(); n != 1 || len(list) != 1 || list[0].Name != "quick" {
		t.Errorf("watchers %v, dropped %d", list, n)
	}
}

// Who comes back gets what was missed, as long as it is kept.
func TestResume(t *testing.T) {
	h := open(func(Watcher) {})
	begin := h.Keep("a")
	for i := range kept {
		h.Publish("a", "patch", fmt.Append(nil, i))
		h.Publish("b", "patch", nil)
	}
	for after, want := range map[string]int{begin: kept, "run-3": kept - 2, "": 0, fmt.Sprint("run-", 2*kept): 0} {
		if _, missed, ok := h.watch(Watcher{Topics: []string{"a"}}, after); !ok || len(missed) != want {
			t.Errorf("after %q: %d frames, %v", after, len(missed), ok)
		}
	}
	h.Publish("a", "patch", nil)
	for _, after := range []string{begin, "other-3", "run-x", "run-9999", "x"} {
		if _, _, ok := h.watch(Watcher{Topics: []string{"a"}}, after); ok {
			t.Errorf("after %q: nothing was missed?", after)
		}
	}
	if _, _, ok := h.watch(Watcher{Topics: []string{"new"}}, begin); ok {
		t.Error("a topic that was not kept then has missed nothing")
	}
}

// One name cannot take all places, strangers cannot take those of who has logged in, and all
// together cannot take more than there are.
func TestRoom(t *testing.T) {
	h := open(func(Watcher) {})
	watches := func(who Watcher) bool {
		w, _, _ := h.watch(who, "")
		return w != nil
	}
	for range 4 {
		h.watch(Watcher{Name: "192.0.2.1", Guest: true, Most: 4}, "")
	}
	w := httptest.NewRecorder()
	if h.Serve(w, httptest.NewRequest("GET", "/", nil), Watcher{Name: "192.0.2.1", Guest: true, Most: 4}) || w.Header().Get("Retry-After") == "" {
		t.Errorf("the fifth: %v", w.Header())
	}
	if !watches(Watcher{Name: "192.0.2.1", Most: 4}) {
		t.Error("an account that is called like an address has no room")
	}
	for i := range most {
		if got := watches(Watcher{Name: fmt.Sprint(i), Guest: true}); got != (i < mostGuests-4) {
			t.Fatalf("stranger %d watches: %v", i, got)
		}
	}
	for i := range most {
		if got := watches(Watcher{Name: "other"}); got != (i < most-mostGuests-1) {
			t.Fatalf("account %d watches: %v", i, got)
		}
	}
}

// What nobody keeps is no topic: who asks for it reads so, and nothing stays of it.
func TestUnknownTopic(t *testing.T) {
	h := open(func(Watcher) {})
	if w, _, ok := h.watch(Watcher{Topics: []string{"a", "new"}}, ""); w == nil || ok {
		t.Error("a topic that there is not can be watched")
	} else if h.leave(w); len(h.topics) != 2 {
		t.Errorf("%d topics", len(h.topics))
	}
}

// When watchers go, those who read and those who never did, their goroutines end and nothing is kept of them.
func TestWatchersLeaveNothing(t *testing.T) {
	h := open(func(Watcher) {})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.Serve(w, r, Watcher{Name: "watcher", Topics: []string{"a", "b"}})
	}))
	defer server.Close()
	come := func(watchers int) {
		var all []net.Conn
		for i := range watchers {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err == nil {
				_, err = conn.Write([]byte("GET / HTTP/1.1\r\nHost: test\r\n\r\n"))
			}
			if err == nil && i%2 == 0 {
				go func() { _, _ = io.Copy(io.Discard, conn) }() // ends with conn
			}
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, conn)
		}
		testkit.Eventually(t, "all watch", func() bool { list, _ := h.Watchers(); return len(list) == watchers })
		for range 2 * kept {
			h.Publish("a", "patch", make([]byte, 64<<10)) // more than a socket takes
		}
		for _, conn := range all {
			_ = conn.Close()
		}
		testkit.Eventually(t, "nobody watches", func() bool { list, _ := h.Watchers(); return len(list) == 0 })
	}
	before := runtime.NumGoroutine()
	for range 3 {
		come(40)
	}
	testkit.Eventually(t, "the goroutines of those who watched end", func() bool { return runtime.NumGoroutine() <= before })
	for name, topic := range h.topics {
		if len(topic.watchers) > 0 || len(topic.frames) > kept {
			t.Errorf("topic %s keeps %d watchers and %d frames", name, len(topic.watchers), len(topic.frames))
		}
	}
}

// A stream ends when its watcher may not watch any more.
func TestStreamEndsWithTheRight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, may := open(func(Watcher) {}), atomic.Bool{}
		may.Store(true)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			h.Serve(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), Watcher{Topics: []string{"a"}, SessionValid: may.Load})
		}()
		time.Sleep(time.Hour)
		if !h.Watched("a") {
			t.Error("it has ended before")
		}
		may.Store(false)
		time.Sleep(checkEvery)
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("it goes on")
		}
	})
}
