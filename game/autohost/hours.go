package autohost

import (
	"fmt"
	"strings"
	"time"
)

const day = 24 * time.Hour

// Hours is a set of times of day, each a half-open range since midnight. A range that ends before it begins spans
// midnight.
type Hours [][2]time.Duration

// ParseHours parses ranges such as "18:00-02:00".
func ParseHours(list []string) (Hours, error) {
	var h Hours
	for _, text := range list {
		from, to, ok := strings.Cut(text, "-")
		a, errA := clock(from)
		b, errB := clock(to)
		if !ok || errA != nil || errB != nil || a == b {
			return nil, fmt.Errorf("%q is not a range of hours; write for example 18:00-02:00", text)
		}
		h = append(h, [2]time.Duration{a, b})
	}
	return h, nil
}

func clock(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if text == "24:00" {
		return day, nil
	}
	t, err := time.Parse("15:04", text)
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err
}

// contain reports whether t is within the hours. No hours means always.
func (h Hours) contain(t time.Time) bool {
	at := time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
	for _, span := range h {
		from, to := span[0], span[1]
		if from < to && from <= at && at < to || from > to && (at >= from || at < to) {
			return true
		}
	}
	return len(h) == 0
}
