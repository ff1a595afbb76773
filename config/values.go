package config

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
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
		return fmt.Errorf("%q is not a duration; write a number and a unit, for example 100ms, 5s or 1m30s", text)
	}
	*d = Duration(v)
	return nil
}

// NameHiding is whether players know each other by numbers: "false", "true" for maps that cannot notice it, or
// "always".
type NameHiding string

// HideAlways hides names whatever the map does with them.
const HideAlways NameHiding = "always"

// Hides reports whether names are hidden on melee maps at least.
func (h NameHiding) Hides() bool { return h != "false" }

// UnmarshalText reads "true", "false" and "always".
func (h *NameHiding) UnmarshalText(text []byte) error {
	on, err := strconv.ParseBool(string(text))
	switch {
	case string(text) == string(HideAlways):
		*h = HideAlways
	case err != nil:
		return errors.New(`write true, false or "always"`)
	default:
		*h = NameHiding(strconv.FormatBool(on))
	}
	return nil
}

// ByteRate is bytes a second; 0 is no limit, written "unlimited".
type ByteRate int64

const unlimited = "unlimited"

func (r ByteRate) String() string {
	if r == 0 {
		return unlimited
	}
	return fmt.Sprintf("%d B", int64(r))
}

// rateUnit may stand behind a rate.
var rateUnit = regexp.MustCompile(`(?i)\s*/s$`)

// UnmarshalText reads "unlimited", "500 KB", "2 MiB" or plain bytes.
func (r *ByteRate) UnmarshalText(text []byte) error {
	size := rateUnit.ReplaceAllString(strings.TrimSpace(string(text)), "")
	if n, ok := parseBytes(size); ok {
		*r = ByteRate(n)
		return nil
	}
	return fmt.Errorf(`%q is not a rate; write "unlimited", or bytes a second such as "500 KB" or "2 MB"`, text)
}

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
	n, ok := parseBytes(strings.TrimSpace(string(text)))
	if !ok {
		return fmt.Errorf(`%q is not a size; write "unlimited", or for example "500 MB" or "10 GB"`, text)
	}
	*c = ByteCount(n)
	return nil
}

// parseBytes reads a number of bytes with or without a unit; 0 is no limit.
func parseBytes(s string) (int64, bool) {
	if strings.EqualFold(s, unlimited) {
		return 0, true
	}
	n, err := humanize.ParseBytes(s)
	return int64(n), err == nil && n < 1e15 && (n > 0 || s == "0")
}
