package recording

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"w3host/protocol/w3gs"
)

const (
	suffix     = ".w3g"
	partSuffix = ".part" // appended while the game runs

	repairSuffix = ".repair" // appended to an unfinished replay for its repaired copy
	maxName      = 180       // limit in bytes without number and suffix; file systems allow 255
)

// fields holds the values for placeholders in file names.
type fields struct {
	game, title string
	id          uint32
	opened      time.Time
	started     time.Time
	players     int
}

// expand fills in a template with the placeholders {date}, {time}, {game}, {map}, {id} and {players}.
func (f *fields) expand(template string) string {
	name := strings.NewReplacer(
		"{date}", f.started.Format("2006-01-02"), "{time}", f.started.Format("15-04"),
		"{game}", w3gs.StripColours(f.game), "{map}", w3gs.StripColours(f.title),
		"{id}", strconv.FormatUint(uint64(f.id), 10), "{players}", strconv.Itoa(f.players),
	).Replace(template)
	if name = clean(name); name == "" {
		return "game"
	}
	return name
}

// clean returns a file name that is valid on all systems.
func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	// Windows strips trailing dots and spaces; other systems hide files with a leading dot.
	return strings.TrimLeft(strings.TrimRight(strings.TrimSpace(name), ". "), ".")
}

// reserve returns a file name that is unused in the folder and reserves it for the lifetime of the process.
func (a *Archive) reserve(f *fields) string {
	base := f.expand(a.opts.Name)
	a.mu.Lock()
	defer a.mu.Unlock()
	name := base
	for n := 2; a.names[fold(name)]; n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	a.names[fold(name)] = true
	return name + suffix
}

// fold maps names that a case-insensitive file system treats as equal to the same string.
func fold(name string) string { return strings.ToLower(name) }
