package hub

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

// Who does not read is dropped, by name, and nobody else misses anything.
func TestSlowWatcherIsDropped(t *testing.T) {
	var dropped []string
	h := New("run", func(w Watcher) { dropped = append(dropped, w.Name) })
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
	h := New("run", func(Watcher) {})
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

// One name cannot take all places, and all names cannot take more than there are.
func TestRoom(t *testing.T) {
	h := New("run", func(Watcher) {})
	for range 4 {
		h.watch(Watcher{Name: "192.0.2.1"}, "")
	}
	w := httptest.NewRecorder()
	h.Serve(w, httptest.NewRequest("GET", "/", nil), Watcher{Name: "192.0.2.1", Most: 4})
	if w.Code != 429 || w.Header().Get("Retry-After") == "" {
		t.Errorf("the fifth: %d %v", w.Code, w.Header())
	}
	if !h.room(Watcher{Name: "other", Most: 4}) {
		t.Error("there is no room for others")
	}
	for i := range most {
		h.watch(Watcher{Name: fmt.Sprint(i)}, "")
	}
	if h.room(Watcher{Name: "other"}) {
		t.Error("there is room without an end")
	}
}
