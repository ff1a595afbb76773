package spectate

import "time"

// window limits the turns that are sent to a spectator but not yet acknowledged, to about 2 s of turns at the
// client's recent speed. With a longer queue, the client would react late to a change of speed.
type window struct {
	turns  int
	count  [2]int        // answers in the current half of lately and in the previous one
	halfAt time.Duration // start of the current half
}

const (
	fewest, most = 20, 300
	lately       = 2 * time.Second
)

// newWindow returns the window of a client that has just loaded.
func newWindow(now time.Duration) window { return window{turns: fewest, halfAt: now} }

// answered counts an answer.
func (w *window) answered(now time.Duration) {
	if now-w.halfAt >= lately/2 {
		w.count[1], w.count[0] = w.count[0], 0
		if now-w.halfAt >= lately {
			w.count[1] = 0
		}
		w.halfAt = now
	}
	w.count[0]++
	w.turns = min(max(w.count[0]+w.count[1], fewest), most)
}
