package mapxfer

import (
	"fmt"
	"slices"
	"time"
)

// Mode determines which players may download the map.
type Mode uint8

// Values of Mode. The zero value is On.
const (
	On  Mode = iota // all players
	Off             // no player
	Ask             // players whom an admin allows
)

var modes = []string{On: "on", Off: "off", Ask: "ask"}

// ParseMode parses the configuration value "on", "off" or "ask".
func ParseMode(text string) (Mode, error) {
	if i := slices.Index(modes, text); i >= 0 {
		return Mode(i), nil
	}
	return On, fmt.Errorf("transfer mode %q: want on, off or ask", text)
}

// String returns the configuration value.
func (m Mode) String() string { return modes[m] }

// Config holds the operator's settings and the map's size. Start from Defaults: New uses every field as
// given.
type Config struct {
	// Mode determines which players may download.
	Mode Mode
	// Size is the map's length in bytes.
	Size uint32
	// TotalRate limits the map bytes per second of all players together; 0 means no limit.
	TotalRate int64
	// PlayerRate limits the map bytes per second of each player; 0 means no limit.
	PlayerRate int64
	// MaxDownloaders limits simultaneous downloads; further players wait in order of arrival. 0 means no
	// limit.
	MaxDownloaders int
	// Timeout is the maximum duration of a download, counted from its 0x3F; 0 means no limit. Waiting in the
	// queue does not count.
	Timeout time.Duration
	// Stall is the maximum time without an acknowledgement while parts are on their way; 0 means no limit.
	Stall time.Duration
	// Wait is how long a player without the map may stay while not allowed to download it. 0 means not at all
	// in mode Off, and without limit in mode Ask.
	Wait time.Duration
	// MaxWindow limits the bytes sent but not acknowledged per player. The host's out queue must be able to
	// hold that much.
	MaxWindow int
}

const (
	// maxWindow suffices for 10 MB/s with a round trip of 400 ms, or 10 Gbit/s on a LAN with 3 ms.
	maxWindow = 4 << 20
	// stall tolerates a client that freezes while its disk spins up, but ends before the client itself gives
	// up (90 s without a ping).
	stall = 60 * time.Second
)

// Defaults lets all players download at the full speed of their connections. The caller sets Size.
func Defaults() Config { return Config{Stall: stall, MaxWindow: maxWindow} }
