package allowance

import "time"

// GenerationSize is the minimum number of keys that a Limiter remembers. It remembers at most twice as many,
// at some 100 bytes each for short keys; the caller must limit the length of keys that strangers choose.
const GenerationSize = 16 << 10

// Limiter limits how often each of many keys, such as names or addresses, may do something: burst times at
// once, and again one by one as time passes. It forgets a key only after GenerationSize other keys have been
// counted since, so nobody can quickly erase a key's count; a forgotten key starts with its full allowance.
// The time per call does not depend on the number of keys. A Limiter is not safe for concurrent use.
type Limiter[K comparable] struct {
	burst int           // events allowed at once
	each  time.Duration // time in which one event is refilled
	began time.Time     // first time passed by a caller, from which Allowance counts
	// recent holds the keys counted last. When it is full, it replaces older, whose keys are forgotten.
	recent, older map[K]Allowance
}

// NewLimiter returns a Limiter that allows burst events at once, and refills burst events per duration per.
func NewLimiter[K comparable](burst int, per time.Duration) *Limiter[K] {
	l := &Limiter[K]{recent: make(map[K]Allowance)}
	l.SetLimit(burst, per)
	return l
}

// SetLimit changes the limit for all keys. A burst of 0 allows nothing.
func (l *Limiter[K]) SetLimit(burst int, per time.Duration) {
	l.burst, l.each = burst, per/time.Duration(max(burst, 1))
}

// Allow counts one event for each key and reports whether all of them are within the limit. It does not count
// events for keys over the limit. now must not decrease between calls.
func (l *Limiter[K]) Allow(now time.Time, keys ...K) bool {
	at, allowed := l.since(now), true
	for _, key := range keys {
		used := l.used(key)
		allowed = used.Take(at, l.each, l.bound()) == 0 && allowed
		l.remember(key, used)
	}
	return allowed
}

// Delay returns the time until Allow would allow an event for all keys; 0 means now. It counts nothing.
func (l *Limiter[K]) Delay(now time.Time, keys ...K) (longest time.Duration) {
	for _, key := range keys {
		if l.Knows(key) {
			used := l.used(key)
			longest = max(longest, l.each-used.Left(l.since(now), l.bound()))
		}
	}
	return longest
}

// Knows reports whether the key has been counted and not forgotten.
func (l *Limiter[K]) Knows(key K) bool {
	_, recently := l.recent[key]
	_, before := l.older[key]
	return recently || before
}

// Len returns the number of remembered entries; a key may have two.
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
