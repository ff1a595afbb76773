package hub

import (
	"cmp"
	"net/http"
	"time"
)

const (
	// beatEvery is the interval at which a comment is sent to detect broken connections.
	beatEvery = 15 * time.Second
	// checkEvery is the interval at which the watcher's session is checked.
	checkEvery = 2 * time.Second
	// writeWithin is the time limit of one write.
	writeWithin = 10 * time.Second
)

// Serve sends the watcher's topics until the request or the session ends. A browser that reconnects
// names the last frame it has seen in the header Last-Event-ID, or in the query as "after", because
// a new EventSource sends no such header. Serve then sends the missed frames, or the event "resync"
// if they are no longer kept. It returns false, without a response, if there are too many watchers.
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
			if who.SessionValid != nil && !who.SessionValid() {
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
