// Package mapconf has an operator's settings for maps: the file beside a map that corrects or completes the map's own
// values, and the place of the game's scripts.
package mapconf

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/BurntSushi/toml"
)

// Config is the file beside a map, <map>.toml. Every key may be left out; then the map's own value stands.
type Config struct {
	Path        *string `toml:"path"` // that clients are shown, such as 'Maps\Download\x.w3x'
	Name        *string `toml:"name"`
	Author      *string `toml:"author"`
	Description *string `toml:"description"`
	Width       *uint16 `toml:"width"`
	Height      *uint16 `toml:"height"`

	// The identifiers. Size and CRC-32 cannot differ from the file's own: they say which file this is about.
	Size     *uint32 `toml:"size"`
	CRC32    *Hex    `toml:"crc32"`    // the number in 8 hex digits
	Checksum *Hex    `toml:"checksum"` // likewise; as bytes on the wire, it is in the other order
	SHA1     *Hex    `toml:"sha1"`     // 40 hex digits

	// Versions are identifiers for versions that differ, by version: [versions."1.27"].
	Versions map[string]Identity `toml:"versions"`

	Layout        *string  `toml:"layout"`     // melee, custom-forces, fixed-settings
	Observers     *string  `toml:"observers"`  // off, on, referees, on-defeat
	Speed         *string  `toml:"speed"`      // slow, normal, fast
	Visibility    *string  `toml:"visibility"` // default, hide-terrain, explored, always-visible
	TeamsTogether *bool    `toml:"teams_together"`
	LockTeams     *bool    `toml:"lock_teams"`
	SharedControl *bool    `toml:"shared_control"`
	RandomHero    *bool    `toml:"random_hero"`
	RandomRaces   *bool    `toml:"random_races"`
	HCL           *string  `toml:"hcl"`
	Modes         []string `toml:"modes"` // that players may vote for with votemode, written like hcl
	Link          *string  `toml:"link"`  // where players find the map, for the command link
	Slots         []Slot   `toml:"slots"` // in place of all of the map's slots

	file string
}

// Identity is one [versions."1.27"] of the file.
type Identity struct {
	Checksum *Hex `toml:"checksum"`
	SHA1     *Hex `toml:"sha1"`
}

// Slot is one [[slots]] of the file.
type Slot struct {
	Status     string `toml:"status"` // open, closed, computer
	Team       uint8  `toml:"team"`   // from 1, as players see it
	Colour     uint8  `toml:"colour"` // from 1
	Race       string `toml:"race"`   // human, orc, undead, night-elf, random
	Selectable *bool  `toml:"selectable"`
	Difficulty string `toml:"difficulty"` // of a computer: easy, normal, insane
	Handicap   uint8  `toml:"handicap"`   // percent, 100 if left out
}

// Hex is a value written in hex digits.
type Hex []byte

// UnmarshalText implements encoding.TextUnmarshaler. Blanks between the digits and 0x before them do no harm.
func (h *Hex) UnmarshalText(text []byte) error {
	digits := strings.TrimPrefix(strings.ReplaceAll(string(text), " ", ""), "0x")
	b, err := hex.DecodeString(digits)
	if err != nil {
		return fmt.Errorf("%q is not written in pairs of hex digits", text)
	}
	*h = b
	return nil
}

func (h Hex) number() (uint32, error) {
	if len(h) != 4 {
		return 0, fmt.Errorf("has %d hex digits, of the 8 it should have", 2*len(h))
	}
	return binary.BigEndian.Uint32(h), nil
}

// Load reads the file at path. If there is none, the Config is nil and so is the error.
func Load(path string) (*Config, error) {
	data, err := readText(path, maxConfig)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := &Config{file: path}
	meta, err := toml.Decode(string(data), c)
	var parse toml.ParseError
	switch {
	case errors.As(err, &parse):
		return nil, fmt.Errorf("%s, line %d: %s", path, parse.Position.Line, parse.Message)
	case err != nil:
		return nil, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "toml: "))
	}
	for _, key := range meta.Undecoded() {
		return nil, unknownKey(path, key)
	}
	return c, nil
}
