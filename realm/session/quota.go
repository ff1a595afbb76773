package session

import "time"

// The flood quota of a PvPGN server: a line costs one unit for each 40 bytes, four units
// pass in any five seconds, counted in whole seconds; refused lines count as well, and
// ten units close the connection.
//
// Questions and answers to people who are no admins may use otherUnits, so that two units
// are free whenever an admin asks; of the rest, one is left to questions. While nobody
// waits for an answer, nor has got one for quietAfter, questions may use all.
const (
	unitBytes  = 40
	units      = 4
	otherUnits = 2
	window     = 6 * time.Second
	quietAfter = 10 * time.Second
)

// quota holds the lines that were sent within the window.
type quota struct{ sent []spent }

type spent struct {
	at    time.Duration
	units int
	admin bool
}

func cost(text string) int { return max((len(text)+unitBytes-1)/unitBytes, 1) }

// allows reports whether n units may be used at a time, for an admin or others, each of
// whom may have up to most in the window.
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

// refused says that the realm has refused a line, whose quota may be smaller: nothing is
// sent until the whole window has passed.
func (q *quota) refused(now time.Duration) {
	q.sent = append(q.sent[:0], spent{now, units, false})
}

// first calls f with now and with each later time when units come free, until f returns
// true; it returns that time, or never.
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
