// Package mapconf reads the settings that an operator provides for maps: the file <map>.toml beside a map,
// which corrects or completes the map's own values, and the folder with the game's scripts.
//
// Read returns a map with its settings applied, Load the settings alone, and FindScripts the game's scripts.
// Package formats/catalogue and the map commands use it. It never writes files.
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

// Config is the content of a map's settings file. Keys that are absent leave the map's own values unchanged.
type Config struct {
	Path        *string `toml:"path"` // path sent to clients, such as 'Maps\Download\x.w3x'
	Name        *string `toml:"name"`
	Author      *string `toml:"author"`
	Description *string `toml:"description"`
	Width       *uint16 `toml:"width"`
	Height      *uint16 `toml:"height"`

	// Identifiers. Size and CRC32 must equal those of the map file; they tie the settings to one version of
	// the map.
	Size     *uint32 `toml:"size"`
	CRC32    *Hex    `toml:"crc32"`    // as a number in 8 hex digits
	Checksum *Hex    `toml:"checksum"` // as a number in 8 hex digits; its bytes on the wire are in reverse order
	SHA1     *Hex    `toml:"sha1"`     // 40 hex digits

	// Versions holds differing identifiers for other game versions: [versions."1.27"].
	Versions map[string]Identity `toml:"versions"`

	Layout        *string  `toml:"layout"`     // melee, custom-forces or fixed-settings
	Observers     *string  `toml:"observers"`  // off, on, referees or on-defeat
	Speed         *string  `toml:"speed"`      // slow, normal or fast
	Visibility    *string  `toml:"visibility"` // default, hide-terrain, explored or always-visible
	TeamsTogether *bool    `toml:"teams_together"`
	LockTeams     *bool    `toml:"lock_teams"`
	SharedControl *bool    `toml:"shared_control"`
	RandomHero    *bool    `toml:"random_hero"`
	RandomRaces   *bool    `toml:"random_races"`
	HCL           *string  `toml:"hcl"`
	Modes         []string `toml:"modes"` // choices for the votemode command, written like hcl
	Link          *string  `toml:"link"`  // web page with the map, for the link command
	Slots         []Slot   `toml:"slots"` // replaces all slots of the map

	file string
}

// Identity is a section like [versions."1.27"]: the checksums of the map for one version of the game. Absent
// fields are nil.
type Identity struct {
	Checksum *Hex `toml:"checksum"`
	SHA1     *Hex `toml:"sha1"`
}

// Slot is a [[slots]] section of the file, which describes one slot of the map.
type Slot struct {
	Status     string `toml:"status"` // open, closed or computer
	Team       uint8  `toml:"team"`   // counted from 1, as players see it
	Colour     uint8  `toml:"colour"` // counted from 1
	Race       string `toml:"race"`   // human, orc, undead, night-elf or random
	Selectable *bool  `toml:"selectable"`
	Difficulty string `toml:"difficulty"` // strength of a computer player: easy, normal or insane
	Handicap   uint8  `toml:"handicap"`   // percent; 100 if absent
}

// Hex is a value written in hex digits.
type Hex []byte

// UnmarshalText implements encoding.TextUnmarshaler. It accepts a leading 0x and blanks between digits.
func (h *Hex) UnmarshalText(text []byte) error {
	digits := strings.TrimPrefix(strings.ReplaceAll(string(text), " ", ""), "0x")
	b, err := hex.DecodeString(digits)
	if err != nil {
		return fmt.Errorf("%q is not an even number of hex digits", text)
	}
	*h = b
	return nil
}

func (h Hex) number() (uint32, error) {
	if len(h) != 4 {
		return 0, fmt.Errorf("has %d hex digits instead of 8", 2*len(h))
	}
	return binary.BigEndian.Uint32(h), nil
}

// Load reads the settings file at path. If the file does not exist, it returns nil and no error.
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
