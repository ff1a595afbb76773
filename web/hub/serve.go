package hub

import (
	"net/http"
	"time"
)

const (
	// beatEvery is how often a comment is sent, so that a line that is gone is noticed.
	beatEvery = 15 * time.Second
	// streamFor is how long a stream lasts. The browser comes back at once, and nothing is
	// missed; who has lost the right to watch does not.
	streamFor = 10 * time.Minute
	// writeWithin is how long one write may take.
	writeWithin = 10 * time.Second
)

// Serve sends the topics to who watches until the request ends. A browser that comes back
// says which frame it has seen last, in the header Last-Event-ID or, since a new EventSource
// sends none, in the query as "after"; what has come since then is sent again, or "resync"
// if that is not known any more. Who watches too much already gets a 429.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, who Watcher) {
	if !h.room(who) {
		w.Header().Set("Retry-After", "30")
		http.Error(w, "too many pages are being watched: close some", http.StatusTooManyRequests)
		return
	}
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = r.URL.Query().Get("after")
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	s := stream{w: w, control: http.NewResponseController(w)}
	watching, missed, ok := h.watch(who, after)
	defer h.leave(watching)
	s.write([]byte("retry: 1500\n\n"))
	if !ok {
		s.write([]byte("event: resync\ndata: {}\n\n"))
	}
	for _, f := range missed {
		s.write(f)
	}
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	end := time.After(streamFor)
	for s.flush() {
		select {
		case <-end:
			return
		case <-r.Context().Done():
			return
		case <-beat.C:
			s.write([]byte(": \n\n"))
		case f, ok := <-watching.frames:
			if !ok {
				return // dropped: the browser comes back
			}
			s.write(f)
			for len(watching.frames) > 0 {
				s.write(<-watching.frames)
			}
		}
	}
}

// stream writes until the first fault.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func (s *stream) write(frame []byte) {
	if s.err == nil {
		_ = s.control.SetWriteDeadline(time.Now().Add(writeWithin)) // where the connection has one
		_, s.err = s.w.Write(frame)
	}
}

func (s *stream) flush() bool {
	if s.err == nil {
		s.err = s.control.Flush()
	}
	return s.err == nil
}
