package hub

import (
	"cmp"
	"net/http"
	"time"
)

const (
	// beatEvery is how often a comment is sent, so that a line that is gone is noticed.
	beatEvery = 15 * time.Second
	// checkEvery is how often it is asked whether a watcher still may.
	checkEvery = 2 * time.Second
	// writeWithin is how long one write may take.
	writeWithin = 10 * time.Second
)

// Serve sends the topics to a watcher until the request ends, or the right to watch. A
// browser that comes back says which frame it has seen last, in the header Last-Event-ID or,
// since a new EventSource sends none, in the query as "after"; the frames since then are
// sent again, or "resync" if that is not known any more. Where too much is watched already
// the answer is left to the caller: room is false.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, who Watcher) (room bool) {
	after := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after"))
	watching, missed, ok := h.watch(who, after)
	if watching == nil {
		w.Header().Set("Retry-After", "30")
		return false
	}
	defer h.leave(watching)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(w)
	var err error
	write := func(frame []byte) {
		if err == nil {
			_ = control.SetWriteDeadline(time.Now().Add(writeWithin)) // where the connection has one
			_, err = w.Write(frame)
		}
	}
	write([]byte("retry: 1500\n\n"))
	if !ok {
		write([]byte("event: resync\ndata: {}\n\n"))
	}
	for _, f := range missed {
		write(f)
	}
	beat, check := time.NewTicker(beatEvery), time.NewTicker(checkEvery)
	defer beat.Stop()
	defer check.Stop()
	for err == nil && control.Flush() == nil {
		select {
		case <-r.Context().Done():
			return true
		case <-check.C:
			if who.Still != nil && !who.Still() {
				return true
			}
		case <-beat.C:
			write([]byte(": \n\n"))
		case f, ok := <-watching.frames:
			if !ok {
				return true // dropped: the browser comes back
			}
			write(f)
			for len(watching.frames) > 0 {
				write(<-watching.frames)
			}
		}
	}
	return true
}
