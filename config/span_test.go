package config

import (
	"testing"
	"time"
)

func TestParseSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30m": 30 * time.Minute, "12h": 12 * time.Hour, "7d": 168 * time.Hour, "2w": 336 * time.Hour,
		"1d12h": 36 * time.Hour, "1w1d1h": 193 * time.Hour, "1h30m": 90 * time.Minute,
		"": 0, "7": 0, "d": 0, "-7d": 0, "0d": 0, "1d-1h": 0, "7x": 0, "99999d": 0, "1d1w": 0,
	} {
		if got, ok := ParseSpan(text); ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
}
