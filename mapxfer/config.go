package mapxfer

import (
	"fmt"
	"slices"
	"time"
)

// Mode decides which players may download the map.
type Mode uint8

// Modes. The zero value is On.
const (
	On  Mode = iota // everybody
	Off             // nobody
	Ask             // those whom an admin allows
)

var modes = []string{On: "on", Off: "off", Ask: "ask"}

// ParseMode reads the setting's text: "on", "off" or "ask".
func ParseMode(text string) (Mode, error) {
	if i := slices.Index(modes, text); i >= 0 {
		return Mode(i), nil
	}
	return On, fmt.Errorf("transfer mode %q: want on, off or ask", text)
}

// String is the setting's text.
func (m Mode) String() string { return modes[m] }

// Config has the settings of the operator, and the map's size. Begin with Defaults: New
// takes every field as it stands.
type Config struct {
	// Mode decides which players may download.
	Mode Mode
	// Size is the map's length in bytes.
	Size uint32
	// TotalRate bounds the map bytes per second of all players together; 0 is no bound.
	TotalRate int64
	// PlayerRate bounds the map bytes per second of each player; 0 is no bound.
	PlayerRate int64
	// MaxDownloaders is how many may download at once; the rest wait in order of
	// arrival. 0 is no bound.
	MaxDownloaders int
	// Timeout is the longest a download may take from its 0x3F on; 0 is no bound.
	// Time spent waiting for a free place does not count.
	Timeout time.Duration
	// Stall is the longest a player may acknowledge nothing while parts are on
	// their way; 0 is no bound.
	Stall time.Duration
	// Wait is how long a player who lacks the map stays without being allowed to download it; 0: with Off not at
	// all, with Ask without end.
	Wait time.Duration
	// MaxWindow bounds the bytes handed out and not yet acknowledged, per player.
	// The out queue of the host must hold that much.
	MaxWindow int
}

const (
	// maxWindow is 10 MB/s over a line of 400 ms, or 10 Gbit/s on a LAN whose
	// players answer within 3 ms.
	maxWindow = 4 << 20
	// stall outlasts a client that freezes while its disk wakes up, and ends
	// before the client itself gives up (90 s without a ping).
	stall = 60 * time.Second
)

// Defaults lets all players download at the full speed of their lines. The caller
// sets Size.
func Defaults() Config { return Config{Stall: stall, MaxWindow: maxWindow} }
