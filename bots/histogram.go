package bots

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	histogramTop    = 20 * time.Minute // longer durations are counted as this one, except in Max
	histogramDigits = 3                // significant digits: quantiles are within 0.1 %
)

// histogram counts durations. It is safe for concurrent use.
type histogram struct {
	mu       sync.Mutex
	counts   *hdrhistogram.Histogram // nil while empty
	sum, max time.Duration
}

// Summary summarises a histogram. P999 is the 99.9th percentile; all values but Count are 0 if nothing was measured.
type Summary struct {
	Count                     int64
	Mean, P50, P99, P999, Max time.Duration
}

// add counts a duration; negative ones count as 0.
func (h *histogram) add(d time.Duration) {
	d = max(d, 0)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.counts == nil {
		h.counts = hdrhistogram.New(1, int64(histogramTop), histogramDigits)
	}
	_ = h.counts.RecordValue(int64(min(d, histogramTop))) // within its bounds
	h.sum += d
	h.max = max(h.max, d)
}

func (h *histogram) summary() Summary {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.counts == nil {
		return Summary{}
	}
	quantile := func(percent float64) time.Duration {
		return min(time.Duration(h.counts.ValueAtQuantile(percent)), h.max)
	}
	n := h.counts.TotalCount()
	return Summary{
		Count: n, Mean: h.sum / time.Duration(n), P50: quantile(50), P99: quantile(99), P999: quantile(99.9), Max: h.max,
	}
}
