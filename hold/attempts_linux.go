//go:build linux && !portable && (amd64 || arm64)

package hold

import "time"

const (
	// patience is how long failed starts are repeated while no host serves; until then everything stays held. Clients
	// leave a game 65 s after its last turn.
	patience = 60 * time.Second
	// againFirst and againMost are the shortest and the longest pause between two starts.
	againFirst, againMost = 100 * time.Millisecond, 2 * time.Second
)

// attempts paces the starts of a process that fails to start or ends too soon: the pauses double, and the attempts end
// after patience.
type attempts struct {
	since time.Time // when the first attempt was made
	pause time.Duration
	again <-chan time.Time // fires when the next attempt is due; nil: none is planned
}

func newAttempts() attempts { return attempts{since: time.Now(), pause: againFirst} }

// retry plans the next attempt and returns the pause before it; ok is false when patience has passed.
func (a *attempts) retry() (pause time.Duration, ok bool) {
	left := patience - time.Since(a.since)
	if left <= 0 {
		return 0, false
	}
	pause = min(a.pause, left)
	a.again, a.pause = time.After(pause), min(2*a.pause, againMost)
	return pause, true
}
