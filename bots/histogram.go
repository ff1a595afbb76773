package bots

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// A histogram has subBuckets linear buckets in each power of two nanoseconds:
// a value is off by at most 1/2048, which is 0.05 ms at 100 ms.
const (
	subBits    = 10
	subBuckets = 1 << subBits
	topBits    = 40 // values end at 18 minutes
	buckets    = (topBits - subBits + 1) * subBuckets
)

// histogram counts durations. Many goroutines may add at the same time.
type histogram struct {
	counts [buckets]atomic.Uint64
	n, sum atomic.Int64
	max    atomic.Int64
}

// Summary is what a histogram says. P999 is the 99.9th percentile.
type Summary struct {
	Count                     int64
	Mean, P50, P99, P999, Max time.Duration
}

func (h *histogram) add(d time.Duration) {
	v := max(int64(d), 0)
	h.counts[bucketOf(v)].Add(1)
	h.n.Add(1)
	h.sum.Add(v)
	for {
		old := h.max.Load()
		if v <= old || h.max.CompareAndSwap(old, v) {
			return
		}
	}
}

func (h *histogram) summary() Summary {
	s := Summary{Count: h.n.Load(), Max: time.Duration(h.max.Load())}
	if s.Count == 0 {
		return s
	}
	s.Mean = time.Duration(h.sum.Load() / s.Count)
	s.P50, s.P99, s.P999 = h.quantile(0.50, s), h.quantile(0.99, s), h.quantile(0.999, s)
	return s
}

// quantile returns the middle of the bucket that holds the value which q of
// all values do not exceed.
func (h *histogram) quantile(q float64, s Summary) time.Duration {
	rank := int64(q*float64(s.Count) + 0.999999)
	var seen int64
	for i := range h.counts {
		seen += int64(h.counts[i].Load())
		if seen >= rank {
			return min(time.Duration(bucketMiddle(i)), s.Max)
		}
	}
	return s.Max
}

func bucketOf(v int64) int {
	shift := max(bits.Len64(uint64(v))-subBits-1, 0)
	// At shift 0 the first two rows are exact: 0 to 2047.
	return min(shift*subBuckets+int(v>>shift), buckets-1)
}

func bucketMiddle(i int) int64 {
	if i < 2*subBuckets {
		return int64(i)
	}
	shift := i/subBuckets - 1
	low := int64(i-shift*subBuckets) << shift
	return low + int64(1)<<shift/2
}
