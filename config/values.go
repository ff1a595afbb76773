package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration is written as Go writes it: "100ms", "5s", "1m30s".
type Duration time.Duration

// D is the duration as the rest of the program uses it.
func (d Duration) D() time.Duration { return time.Duration(d) }

func (d Duration) String() string { return time.Duration(d).String() }

// UnmarshalText reads "100ms" and the like.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil {
		return fmt.Errorf("%q is no duration; write a number and a unit, for example 100ms, 5s or 1m30s", text)
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes the duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// ByteRate is bytes a second; 0 is no limit, written "unlimited".
type ByteRate int64

// unlimited is how a missing limit is written.
const unlimited = "unlimited"

var byteUnits = []struct {
	name  string
	bytes float64
}{{"KIB", 1 << 10}, {"MIB", 1 << 20}, {"GIB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}

func (r ByteRate) String() string {
	if r == 0 {
		return unlimited
	}
	return fmt.Sprintf("%d B", int64(r))
}

// UnmarshalText reads "unlimited", "500 KB", "2 MiB" or plain bytes.
func (r *ByteRate) UnmarshalText(text []byte) error {
	s := strings.ToUpper(strings.TrimSpace(string(text)))
	if n, ok := parseBytes(strings.TrimSpace(strings.TrimSuffix(s, "/S"))); ok {
		*r = ByteRate(n)
		return nil
	}
	return fmt.Errorf(`%q is no rate; write "unlimited", or bytes a second such as "500 KB" or "2 MB"`, text)
}

// MarshalText writes the rate.
func (r ByteRate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// ByteCount is a size; 0 is no limit, written "unlimited".
type ByteCount int64

func (c ByteCount) String() string {
	switch {
	case c == 0:
		return unlimited
	case c%1e9 == 0:
		return fmt.Sprintf("%d GB", int64(c/1e9))
	}
	return fmt.Sprintf("%d B", int64(c))
}

// UnmarshalText reads "unlimited", "500 MB", "2 GiB" or plain bytes.
func (c *ByteCount) UnmarshalText(text []byte) error {
	n, ok := parseBytes(strings.ToUpper(strings.TrimSpace(string(text))))
	if !ok {
		return fmt.Errorf(`%q is no size; write "unlimited", or for example "500 MB" or "10 GB"`, text)
	}
	*c = ByteCount(n)
	return nil
}

// MarshalText writes the size.
func (c ByteCount) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// parseBytes reads a number of bytes in capitals; 0 is no limit.
func parseBytes(s string) (int64, bool) {
	if s == strings.ToUpper(unlimited) || s == "0" {
		return 0, true
	}
	for _, u := range byteUnits {
		number, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		if v, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil && v >= 1 && v*u.bytes < 1e15 {
			return int64(v * u.bytes), true
		}
	}
	return 0, false
}
