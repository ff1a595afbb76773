package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// Span is a retention period, written in days and weeks such as 7d or 2w. 0 means for ever and is written "forever".
type Span time.Duration

const forever = "forever"

// D returns the span as a time.Duration; 0 means for ever.
func (s Span) D() time.Duration { return time.Duration(s) }

func (s Span) String() string {
	switch d := time.Duration(s); {
	case d == 0:
		return forever
	case d%day == 0:
		return strconv.Itoa(int(d/day)) + "d"
	default:
		return d.String()
	}
}

// UnmarshalText parses "forever", and the texts that ParseSpan accepts.
func (s *Span) UnmarshalText(text []byte) error {
	word := strings.TrimSpace(string(text))
	if word == forever {
		*s = 0
		return nil
	}
	d, ok := ParseSpan(word)
	if !ok {
		return fmt.Errorf(`%q is not a length of time; write "forever", or for example 90d, 12w or 36h`, text)
	}
	*s = Span(d)
	return nil
}

// ParseSpan parses 7d, 2w or 1d12h, or a duration of time.ParseDuration. It accepts one second or more.
func ParseSpan(text string) (time.Duration, bool) {
	var total time.Duration
	rest := text
	for _, unit := range []struct {
		letter string
		length time.Duration
	}{{"w", 7 * day}, {"d", day}} {
		number, after, found := strings.Cut(rest, unit.letter)
		if !found {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 13)
		if err != nil {
			return 0, false
		}
		total, rest = total+time.Duration(n)*unit.length, after
	}
	if rest != "" {
		d, err := time.ParseDuration(rest)
		if err != nil || d < 0 {
			return 0, false
		}
		total += d
	}
	return total, total >= time.Second
}
