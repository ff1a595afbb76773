package host

import (
	"sync/atomic"
	"time"
)

// lateNotice is how late a turn must be for the transfers to hear of it.
const lateNotice = time.Millisecond

// lateness carries the news that a turn of some game went out late to the
// lobbies, whose transfers make way. It is one word, so that a turn pays for it
// only when it is late.
type lateness struct {
	worst atomic.Int64  // ns, of the newest news
	seq   atomic.Uint64 // counts news
}

func (l *lateness) note(late time.Duration) {
	if late < lateNotice {
		return
	}
	l.worst.Store(int64(late))
	l.seq.Add(1)
}

// since returns the newest lateness if there is any after seq.
func (l *lateness) since(seq uint64) (late time.Duration, now uint64) {
	if now = l.seq.Load(); now == seq {
		return 0, now
	}
	return time.Duration(l.worst.Load()), now
}
