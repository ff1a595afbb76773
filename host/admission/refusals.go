package admission

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/rs/zerolog"
)

const (
	// maxSummed is how many addresses get a summary line of their own.
	maxSummed = 20
	// maxRefused is how many addresses are counted one by one within one interval.
	maxRefused = 16 << 10
)

// Refusals limits the log lines about refused connections, because strangers connect as fast as they like and must
// not fill a disk. Within an interval the first refusal of each address gets a line; the others are summed up in one
// line at the end of the interval.
type Refusals struct {
	Every  time.Duration      // the interval
	times  map[netip.Addr]int // at most maxRefused
	others int                // refusals of further addresses
}

// NewRefusals returns a Refusals that sums up after each interval.
func NewRefusals(every time.Duration) *Refusals {
	return &Refusals{Every: every, times: make(map[netip.Addr]int)}
}

// Add counts one more refusal of an address (network.Base). line: it gets a log line. begins: it begins an interval, and
// the caller must call SumUp after Every.
func (r *Refusals) Add(addr netip.Addr) (line, begins bool) {
	begins = len(r.times) == 0
	if _, known := r.times[addr]; !known && len(r.times) == maxRefused {
		r.others++
		return false, begins
	}
	r.times[addr]++
	return r.times[addr] == 1, begins
}

// SumUp logs how many refusals got no line, and starts a new interval.
func (r *Refusals) SumUp(log *zerolog.Logger) {
	most := func(a, b netip.Addr) int { return cmp.Or(r.times[b]-r.times[a], a.Compare(b)) }
	for i, addr := range slices.SortedFunc(maps.Keys(r.times), most) {
		if n := r.times[addr] - 1; n > 0 && i < maxSummed {
			log.Warn().Stringer("addr", addr).Int("times", n).Dur("within", r.Every).Msg("more connections from this address were refused")
		} else {
			r.others += n
		}
	}
	if r.others > 0 {
		log.Warn().Int("times", r.others).Dur("within", r.Every).Msg("more connections from many addresses were refused")
	}
	r.times, r.others = make(map[netip.Addr]int), 0
}
