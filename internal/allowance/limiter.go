package allowance

import "time"

// GenerationSize is how many keys a Limiter remembers at least. It remembers twice as many at most, at some 100 bytes each
// for keys that are short: the caller must bound the length of keys that strangers choose.
const GenerationSize = 16 << 10

// Limiter bounds how often each of many keys, such as a name or an address, may do something: burst times at once, and
// again one by one as time passes. It forgets a key only after GenerationSize other keys have been counted since,
// so nobody can erase the count of a single key, and a forgotten key has its full allowance again. Every call takes
// the same time, however many keys are known. A Limiter is not safe for concurrent use.
type Limiter[K comparable] struct {
	burst int           // events allowed at once
	each  time.Duration // time in which one event comes back
	began time.Time     // the first time that a caller passed; Allowance counts from there
	// recent has the keys that were counted last. When it is full it replaces older, whose keys are forgotten.
	recent, older map[K]Allowance
}

// NewLimiter returns a Limiter that allows burst events at once, and as many again within per.
func NewLimiter[K comparable](burst int, per time.Duration) *Limiter[K] {
	l := &Limiter[K]{recent: make(map[K]Allowance)}
	l.SetLimit(burst, per)
	return l
}

// SetLimit changes the limit, also for keys that are known. A burst of 0 allows nothing.
func (l *Limiter[K]) SetLimit(burst int, per time.Duration) {
	l.burst, l.each = burst, per/time.Duration(max(burst, 1))
}

// Allow counts one event for each key, and reports whether all of them may have it. A key whose allowance is used up is
// not counted again. Now must not go back between calls.
func (l *Limiter[K]) Allow(now time.Time, keys ...K) bool {
	at, allowed := l.since(now), true
	for _, key := range keys {
		used := l.used(key)
		allowed = used.Take(at, l.each, l.bound()) == 0 && allowed
		l.remember(key, used)
	}
	return allowed
}

// Delay returns the time until Allow would allow an event for all of the keys; 0: now. It counts nothing.
func (l *Limiter[K]) Delay(now time.Time, keys ...K) (longest time.Duration) {
	for _, key := range keys {
		if l.Knows(key) {
			used := l.used(key)
			longest = max(longest, l.each-used.Left(l.since(now), l.bound()))
		}
	}
	return longest
}

// Knows reports whether events of a key have been counted and not been forgotten.
func (l *Limiter[K]) Knows(key K) bool {
	_, recently := l.recent[key]
	_, before := l.older[key]
	return recently || before
}

// Len is the number of keys that are remembered; a key may count twice.
func (l *Limiter[K]) Len() int { return len(l.recent) + len(l.older) }

func (l *Limiter[K]) bound() time.Duration { return time.Duration(l.burst) * l.each }

func (l *Limiter[K]) since(now time.Time) time.Duration {
	if l.began.IsZero() {
		l.began = now
	}
	return now.Sub(l.began)
}

func (l *Limiter[K]) used(key K) Allowance {
	if used, ok := l.recent[key]; ok {
		return used
	}
	return l.older[key]
}

func (l *Limiter[K]) remember(key K, used Allowance) {
	if _, ok := l.recent[key]; !ok && len(l.recent) == GenerationSize {
		l.recent, l.older = make(map[K]Allowance), l.recent
	}
	l.recent[key] = used
}
