package session

import "time"

// Rate limit for chat lines that matches the flood protection of a PvPGN server: a line costs one unit per 40 bytes, and
// four units are allowed in any five seconds, which the server counts in whole seconds. Lines that the server refuses
// count as well, and ten units close the connection.
//
// Lines that are not for admins may use at most otherUnits units, so that two units are always available for admins.
// While one of the host's questions to the realm is waiting, lines for admins leave one unit for it. If no line waits and
// nobody has got one within quietAfter, questions may use all units.
const (
	unitBytes  = 40
	units      = 4
	otherUnits = 2
	window     = 6 * time.Second
	quietAfter = 10 * time.Second
)

// quota is a sliding-window rate limit: it records the lines sent within the last window.
type quota struct{ sent []spent }

// spent is a line that was sent, with its cost in units.
type spent struct {
	at    time.Duration
	units int
	admin bool
}

// cost returns the units that a line costs, at least one.
func cost(text string) int { return max((len(text)+unitBytes-1)/unitBytes, 1) }

// allows reports whether a line that costs n units may be sent at time at. The total in the window must stay within the
// constant units, and the total of the line's group (lines for admins, or all other lines) within most.
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

// spend records that a line which costs n units was sent.
func (q *quota) spend(now time.Duration, n int, admin bool) {
	for len(q.sent) > 0 && q.sent[0].at+window <= now {
		q.sent = q.sent[1:]
	}
	q.sent = append(q.sent, spent{now, n, admin})
}

// refused marks the whole quota as used, so that nothing is sent for one window. Call it when the realm has refused a
// line, because the realm's limit may be lower than expected.
func (q *quota) refused(now time.Duration) {
	q.sent = append(q.sent[:0], spent{now, units, false})
}

// first returns the earliest time at which f returns true: now, or a later time at which a sent line drops out of the
// window. It returns never if there is no such time. The caller's f reports whether a line may be sent at a given time.
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
