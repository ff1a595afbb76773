package host

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/rs/zerolog"
)

const (
	// refusalsEvery is the time that one line of the log sums up.
	refusalsEvery = time.Minute
	// mostRefused are the addresses with a line of their own then.
	mostRefused = 20
	// mostSources are the addresses that are counted one by one within refusalsEvery.
	mostSources = 16 << 10
)

// refusals counts connections that are refused, by address: strangers come as fast as
// they like, and must not fill a disk. Of each address the first within refusalsEvery
// has a line in the log; the others are lines of level debug, and a number in one line
// at the end of that time. It belongs to the goroutine of the shard.
type refusals struct {
	every  time.Duration
	times  map[netip.Addr]int // mostSources at most
	others int                // of further addresses
}

// first counts one more refusal, and reports whether it has a line of its own. sumUp is
// called when the time is over.
func (r *refusals) first(addr netip.Addr, sumUp func()) bool {
	if len(r.times) == 0 {
		time.AfterFunc(r.every, sumUp)
	}
	if _, known := r.times[addr]; !known && len(r.times) == mostSources {
		r.others++
		return false
	}
	r.times[addr]++
	return r.times[addr] == 1
}

// sumUp logs the refusals without a line of their own, and begins anew.
func (r *refusals) sumUp(log *zerolog.Logger) {
	most := func(a, b netip.Addr) int { return cmp.Or(r.times[b]-r.times[a], a.Compare(b)) }
	for i, addr := range slices.SortedFunc(maps.Keys(r.times), most) {
		if n := r.times[addr] - 1; n > 0 && i < mostRefused {
			log.Warn().Stringer("addr", addr).Int("times", n).Dur("within", r.every).Msg("more connections from this address were refused")
		} else {
			r.others += n
		}
	}
	if r.others > 0 {
		log.Warn().Int("times", r.others).Dur("within", r.every).Msg("more connections from many addresses were refused")
	}
	r.times, r.others = make(map[netip.Addr]int), 0
}
