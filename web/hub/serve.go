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

// Serve sends the topics to who watches until the request ends, or the right to watch. A
// browser that comes back says which frame it has seen last, in the header Last-Event-ID or,
// since a new EventSource sends none, in the query as "after"; what has come since then is
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
	s := stream{w: w, control: http.NewResponseController(w)}
	s.write([]byte("retry: 1500\n\n"))
	if !ok {
		s.write([]byte("event: resync\ndata: {}\n\n"))
	}
	for _, f := range missed {
		s.write(f)
	}
	beat, check := time.NewTicker(beatEvery), time.NewTicker(checkEvery)
	defer beat.Stop()
	defer check.Stop()
	for s.flush() {
		select {
		case <-r.Context().Done():
			return true
		case <-check.C:
			if who.Still != nil && !who.Still() {
				return true
			}
		case <-beat.C:
			s.write([]byte(": \n\n"))
		case f, ok := <-watching.frames:
			if !ok {
				return true // dropped: the browser comes back
			}
			s.write(f)
			for len(watching.frames) > 0 {
				s.write(<-watching.frames)
			}
		}
	}
	return true
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
