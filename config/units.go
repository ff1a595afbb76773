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

// Duration is a time.Duration that is written as Go does: "100ms", "5s" or "1m30s".
type Duration time.Duration

// D returns the duration as a time.Duration.
func (d Duration) D() time.Duration { return time.Duration(d) }

func (d Duration) String() string { return time.Duration(d).String() }

// UnmarshalText parses the texts that time.ParseDuration accepts.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil {
		return fmt.Errorf("%q is not a duration; write a number and a unit, for example 100ms, 5s or 1m30s", text)
	}
	*d = Duration(v)
	return nil
}

// NameHiding says whether players see numbers in place of names: "false", "true" (only on melee maps, which do not read
// names) or "always".
type NameHiding string

// HideAlways hides names on all maps, although maps that read names may desync.
const HideAlways NameHiding = "always"

// Hides reports whether names are hidden, at least on melee maps.
func (h NameHiding) Hides() bool { return h != "false" }

// UnmarshalText parses "true", "false" and "always".
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

// ByteRate is a rate in bytes a second. 0 means no limit and is written "unlimited".
type ByteRate int64

const unlimited = "unlimited"

func (r ByteRate) String() string {
	if r == 0 {
		return unlimited
	}
	return fmt.Sprintf("%d B", int64(r))
}

// rateUnit matches the optional "/s" after a rate.
var rateUnit = regexp.MustCompile(`(?i)\s*/s$`)

// UnmarshalText parses "unlimited", "500 KB", "2 MiB" or a plain number of bytes.
func (r *ByteRate) UnmarshalText(text []byte) error {
	size := rateUnit.ReplaceAllString(strings.TrimSpace(string(text)), "")
	if n, ok := parseBytes(size); ok {
		*r = ByteRate(n)
		return nil
	}
	return fmt.Errorf(`%q is not a rate; write "unlimited", or bytes a second such as "500 KB" or "2 MB"`, text)
}

// ByteCount is a size in bytes. 0 means no limit and is written "unlimited".
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

// UnmarshalText parses "unlimited", "500 MB", "2 GiB" or a plain number of bytes.
func (c *ByteCount) UnmarshalText(text []byte) error {
	n, ok := parseBytes(strings.TrimSpace(string(text)))
	if !ok {
		return fmt.Errorf(`%q is not a size; write "unlimited", or for example "500 MB" or "10 GB"`, text)
	}
	*c = ByteCount(n)
	return nil
}

// parseBytes parses a number of bytes with an optional unit; "unlimited" is 0.
func parseBytes(s string) (int64, bool) {
	if strings.EqualFold(s, unlimited) {
		return 0, true
	}
	n, err := humanize.ParseBytes(s)
	return int64(n), err == nil && n < 1e15 && (n > 0 || s == "0")
}
