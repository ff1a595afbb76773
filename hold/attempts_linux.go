//go:build linux && !portable && (amd64 || arm64)

package hold

import "time"

const (
	// patience is how long starts are repeated while no host serves, and everything is held. Clients give
	// a game up 65 s after its last turn.
	patience = 60 * time.Second
	// againFirst and againMost are the shortest and the longest pause between two starts.
	againFirst, againMost = 100 * time.Millisecond, 2 * time.Second
)

// attempts paces the starts of a process that fails to start, or ends too soon: pauses double, and end
// when patience is over.
type attempts struct {
	since time.Time // the first
	pause time.Duration
	again <-chan time.Time // when the next is due; nil: none is
}

func newAttempts() attempts { return attempts{since: time.Now(), pause: againFirst} }

// retry schedules the next attempt; false: patience is over.
func (a *attempts) retry() (pause time.Duration, ok bool) {
	left := patience - time.Since(a.since)
	if left <= 0 {
		return 0, false
	}
	pause = min(a.pause, left)
	a.again, a.pause = time.After(pause), min(2*a.pause, againMost)
	return pause, true
}
