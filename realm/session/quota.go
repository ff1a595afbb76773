package session

import "time"

// The flood quota of a PvPGN server: a line costs one unit per 40 bytes; four units are allowed in any five seconds,
// counted in whole seconds. Refused lines count as well, and ten units close the connection.
//
// Questions and answers to people other than admins may use otherUnits, so that two units are always available for
// admins; of the rest, one is reserved for questions. If no person waits for an answer or has got one within quietAfter,
// questions may use all units.
const (
	unitBytes  = 40
	units      = 4
	otherUnits = 2
	window     = 6 * time.Second
	quietAfter = 10 * time.Second
)

// quota records the lines sent within the window.
type quota struct{ sent []spent }

type spent struct {
	at    time.Duration
	units int
	admin bool
}

func cost(text string) int { return max((len(text)+unitBytes-1)/unitBytes, 1) }

// allows reports whether n more units may be used at time at: all units in the window must not exceed the limit units,
// and those of the same group (admins or all others) must not exceed most.
func (q *quota) allows(at time.Duration, n int, admin bool, most int) bool {
	all, mine := n, n
	for _, s := range q.sent {
		if s.at+window > at {
			all += s.units
			if s.admin == admin {
				mine += s.units
			}
		}
	}
	return all <= units && mine <= most
}

func (q *quota) spend(now time.Duration, n int, admin bool) {
	for len(q.sent) > 0 && q.sent[0].at+window <= now {
		q.sent = q.sent[1:]
	}
	q.sent = append(q.sent, spent{now, n, admin})
}

// refused reports that the realm refused a line, because its quota may be smaller: nothing is sent until a whole window
// has passed.
func (q *quota) refused(now time.Duration) {
	q.sent = append(q.sent[:0], spent{now, units, false})
}

// first returns the first time, from now on, at which units become available and f returns true, or never.
func (q *quota) first(now time.Duration, f func(at time.Duration) bool) time.Duration {
	if f(now) {
		return now
	}
	for _, s := range q.sent {
		if at := s.at + window; at > now && f(at) {
			return at
		}
	}
	return never
}
