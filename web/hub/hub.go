// Package hub sends changes of pages to all watchers, as server-sent events.
// A publisher waits for no watcher.
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
	// kept frames of a topic can be sent again to a watcher that comes back.
	kept = 64
	// most may watch at the same time, and mostGuests of them without a login, so that
	// nobody keeps the host's operators out.
	most, mostGuests = 200, 100
	// queued frames wait for a watcher at most; one more, and it is dropped.
	queued = 32
)

// Hub has the topics that are watched. All its methods may be called at any time.
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

// topic is the stream that one kind of page watches.
type topic struct {
	begun    uint64 // the last number before its first frame
	frames   []frame
	watchers []*watcher
}

// frame is one encoded event, the same for all watchers.
type frame struct {
	seq   uint64
	bytes []byte
}

// Watcher describes somebody who watches.
type Watcher struct {
	Name   string // of the account, or the address
	Guest  bool   // it is an address: nobody has logged in
	Topics []string
	Most   int         // of this name; 0: no limit but that of all
	Still  func() bool // may still watch; nil: until the end
}

// watcher is a connection.
type watcher struct {
	Watcher
	frames chan []byte // closed when it is dropped
}

// New makes a hub. dropped is told who was dropped, and must not wait.
func New(dropped func(Watcher)) *Hub {
	run := strconv.FormatInt(time.Now().UnixMilli(), 36)
	return &Hub{run: run, dropped: dropped, topics: map[string]*topic{}, watchers: map[*watcher]struct{}{}}
}

// Arrived has f called whenever somebody begins to watch. It must come before the first does,
// and f must not block.
func (h *Hub) Arrived(f func()) { h.arrived = f }

// Busy reports whether anybody watches anything.
func (h *Hub) Busy() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.watchers) > 0
}

// Watched reports whether anybody watches a topic.
func (h *Hub) Watched(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[name]
	return t != nil && len(t.watchers) > 0
}

// Keep makes a topic whose frames are kept from now on, and returns the id of the last frame
// before them.
func (h *Hub) Keep(name string) (after string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.topic(name)
	return h.id(h.seq)
}

// Forget forgets the frames of a topic that nobody watches.
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

// Publish sends an event to all who watch a topic. A watcher for whom too many wait is
// dropped.
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

// watch begins: with the frames behind the id after, or with ok = false if they are not all
// kept any more. Without an id it begins now. nil: too much is watched already.
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

// room reports whether one more may watch.
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

// leave ends the subscription that watch began.
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

// Watchers lists the watchers, and how many were dropped so far.
func (h *Hub) Watchers() (list []Watcher, dropped uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		list = append(list, w.Watcher)
	}
	slices.SortFunc(list, func(a, b Watcher) int { return strings.Compare(a.Name, b.Name) })
	return list, h.drops
}
