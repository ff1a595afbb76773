// Package hub sends the changes of live pages, and the API's events, to all watchers as server-sent
// events. Publishing never blocks.
package hub

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// kept is the number of frames of a topic that are kept for watchers that reconnect.
	kept = 64
	// most is the maximum number of watchers, and mostGuests that of watchers without a log-in, so
	// that guests cannot lock out operators.
	most, mostGuests = 200, 100
	// queued is the maximum number of frames that wait for one watcher. A watcher that falls
	// further behind is disconnected.
	queued = 32
)

// Hub holds all topics and watchers. It is safe for concurrent use.
type Hub struct {
	run      string // tells the numbers of this run from those of another
	dropped  func(Watcher)
	mu       sync.Mutex
	seq      uint64 // of the last frame
	topics   map[string]*topic
	watchers map[*watcher]struct{}
	drops    uint64
	arrived  func() // called when somebody begins to watch; must not block; nil: nobody is told
}

// topic holds the recent frames of one stream and its watchers.
type topic struct {
	begun    uint64 // the last number before its first frame
	frames   []frame
	watchers []*watcher
}

// frame is an encoded event, which all watchers share.
type frame struct {
	seq   uint64
	bytes []byte
}

// Watcher describes a client that watches topics.
type Watcher struct {
	Name         string // of the account, or the address
	Guest        bool   // it is an address: nobody has logged in
	Topics       []string
	Most         int         // of this name; 0: no limit but that of all
	SessionValid func() bool // may still watch; nil: until the end
}

// watcher is the connection of a Watcher.
type watcher struct {
	Watcher
	frames chan []byte // closed when it is dropped
}

// New returns a Hub. It calls dropped with each watcher that is disconnected because it is too
// slow; dropped must not block.
func New(dropped func(Watcher)) *Hub {
	run := strconv.FormatInt(time.Now().UnixMilli(), 36)
	return &Hub{run: run, dropped: dropped, topics: map[string]*topic{}, watchers: map[*watcher]struct{}{}}
}

// Arrived makes the hub call f whenever a client begins to watch. Call it before the first client
// does; f must not block.
func (h *Hub) Arrived(f func()) { h.arrived = f }

// Busy reports whether any client watches anything.
func (h *Hub) Busy() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.watchers) > 0
}

// Watched reports whether any client watches a topic.
func (h *Hub) Watched(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[name]
	return t != nil && len(t.watchers) > 0
}

// Keep creates a topic, keeps its frames from now on, and returns the id of the last frame before
// them.
func (h *Hub) Keep(name string) (after string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.topic(name)
	return h.id(h.seq)
}

// Forget removes a topic that nobody watches.
func (h *Hub) Forget(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.topics[name]; t != nil && len(t.watchers) == 0 {
		delete(h.topics, name)
	}
}

func (h *Hub) topic(name string) *topic {
	t := h.topics[name]
	if t == nil {
		t = &topic{begun: h.seq}
		h.topics[name] = t
	}
	return t
}

func (h *Hub) id(seq uint64) string { return h.run + "-" + strconv.FormatUint(seq, 10) }

// Publish sends an event to all watchers of a topic, and disconnects those whose queues are full.
func (h *Hub) Publish(name, event string, data []byte) {
	h.mu.Lock()
	t := h.topic(name)
	h.seq++
	f := frame{h.seq, fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", h.id(h.seq), event, data)}
	if t.frames = append(t.frames, f); len(t.frames) > kept {
		t.begun = t.frames[0].seq
		t.frames = slices.Delete(t.frames, 0, 1)
	}
	var slow []*watcher
	for _, w := range t.watchers {
		select {
		case w.frames <- f.bytes:
		default:
			slow = append(slow, w)
		}
	}
	for _, w := range slow {
		h.remove(w)
		h.drops++
	}
	h.mu.Unlock()
	for _, w := range slow {
		h.dropped(w.Watcher)
	}
}

// watch subscribes a watcher. It returns the frames after the id after, which the client has
// missed; ok is false if some of them are no longer kept. Without an id the watcher gets only new
// frames. It returns a nil watcher if there are too many.
func (h *Hub) watch(who Watcher, after string) (w *watcher, missed [][]byte, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.room(who) {
		return nil, nil, false
	}
	w = &watcher{Watcher: who, frames: make(chan []byte, queued)}
	h.watchers[w] = struct{}{}
	if h.arrived != nil {
		h.arrived()
	}
	run, number, _ := strings.Cut(after, "-")
	last, err := strconv.ParseUint(number, 10, 64)
	ok = after == "" || err == nil && run == h.run && last <= h.seq
	var behind []frame
	for _, name := range who.Topics {
		t := h.topics[name]
		if t == nil { // it was forgotten, or never was one
			ok = false
			continue
		}
		t.watchers = append(t.watchers, w)
		if after == "" {
			continue
		}
		ok = ok && t.begun <= last
		for _, f := range t.frames {
			if f.seq > last {
				behind = append(behind, f)
			}
		}
	}
	if !ok {
		return w, nil, false
	}
	slices.SortFunc(behind, func(a, b frame) int { return cmp.Compare(a.seq, b.seq) })
	for _, f := range behind {
		missed = append(missed, f.bytes)
	}
	return w, missed, true
}

// room reports whether the limits allow one more watcher.
func (h *Hub) room(who Watcher) bool {
	same, guests := 0, 0
	for w := range h.watchers {
		if w.Guest {
			guests++
		}
		if w.Name == who.Name && w.Guest == who.Guest {
			same++
		}
	}
	return len(h.watchers) < most && (who.Most == 0 || same < who.Most) && (!who.Guest || guests < mostGuests)
}

// leave unsubscribes a watcher.
func (h *Hub) leave(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(w)
}

func (h *Hub) remove(w *watcher) {
	if _, there := h.watchers[w]; !there {
		return
	}
	delete(h.watchers, w)
	for _, name := range w.Topics {
		if t := h.topics[name]; t != nil {
			t.watchers = slices.DeleteFunc(t.watchers, func(o *watcher) bool { return o == w })
		}
	}
	close(w.frames)
}

// Watchers returns all watchers, and the number of those disconnected so far for being too slow.
func (h *Hub) Watchers() (list []Watcher, dropped uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		list = append(list, w.Watcher)
	}
	slices.SortFunc(list, func(a, b Watcher) int { return strings.Compare(a.Name, b.Name) })
	return list, h.drops
}
