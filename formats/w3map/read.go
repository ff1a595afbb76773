package w3map

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"
	"unicode/utf8"

	"w3host/formats/mpq"
	"w3host/protocol/w3gs"
)

// Limits, in bytes, for files read into memory and for single texts.
const (
	maxInfo  = 1 << 20 // war3map.w3i; real ones are mostly below 100 kB
	maxTexts = 8 << 20 // war3map.wts; those of the largest maps are a third of this
	maxText  = 8 << 10 // a single text; the game's lobby shows a few hundred bytes at most
)

// Reasons for which Read refuses a file; test for them with errors.Is.
var (
	// ErrNotMap reports a file that is not a map.
	ErrNotMap = errors.New("not a Warcraft III map")
	// ErrDamaged reports a map that cannot be played.
	ErrDamaged = errors.New("the map is damaged")
)

// Options configures Read.
type Options struct {
	// Version is the game version to host; 0 means w3gs.DefaultVersion.
	Version w3gs.Version
	// Scripts are the game's scripts of that version; nil if unavailable.
	Scripts *Scripts
	// Others holds the scripts of further versions. Map.Others gets identifiers for those whose scripts
	// differ.
	Others map[w3gs.Version]*Scripts
	// Progress, if not nil, is called with the number of bytes read since the last call.
	Progress func(n int)
}

// Read reads the map file r of size bytes. name is its file name; leading folders are ignored.
//
// It returns an error if the file cannot be hosted, or the unchanged error of r. Minor problems go to
// Map.Warnings, and a missing checksum is explained by Map.MissingScripts. Memory stays below 64 MB for any
// file size, and a Meter limits the time. Read blocks while it reads and hashes the whole file.
func Read(r io.ReaderAt, size int64, name string, opts Options) (*Map, error) {
	src := &source{ReaderAt: r}
	m, err := read(src, size, name, opts)
	if src.fault != nil {
		return nil, src.fault
	}
	return m, err
}

// source remembers the first read error of the underlying file. Without it, the layers above could mistake a
// disk error for a damaged map or a missing part.
type source struct {
	io.ReaderAt
	fault error
}

func (s *source) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.ReaderAt.ReadAt(p, off)
	if err != nil && err != io.EOF && s.fault == nil {
		s.fault = err
	}
	return n, err
}

func read(r io.ReaderAt, size int64, name string, opts Options) (*Map, error) {
	m := &Map{File: baseName(name), Version: cmp.Or(opts.Version, w3gs.DefaultVersion), Settings: DefaultSettings}
	m.setPath()
	if size == 0 {
		return nil, fmt.Errorf("%w: the file is empty", ErrNotMap)
	}
	if size > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d bytes are more than the game can load", ErrNotMap, size)
	}
	a, err := mpq.Open(r, size)
	if errors.Is(err, mpq.ErrFormat) {
		return nil, fmt.Errorf("%w: there is no MPQ archive in it", ErrNotMap)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err := m.readInfo(a); err != nil {
		return nil, err
	}
	if err := m.hashFile(r, size, opts.Progress); err != nil {
		return nil, fmt.Errorf("read %s: %w", m.File, err)
	}
	m.Signed = signed(r, size)
	if err := m.hashPieces(a, opts.Scripts, NewMeter(size)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for v, scripts := range opts.Others {
		if scripts.Key() == opts.Scripts.Key() {
			continue
		}
		if err := m.hashFor(v, a, scripts, NewMeter(size)); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	return m, nil
}

// readInfo reads war3map.w3i and resolves its texts.
func (m *Map) readInfo(a *mpq.Archive) error {
	data, err := readSmall(a, "war3map.w3i", maxInfo)
	switch {
	case errors.Is(err, mpq.ErrNotFound) && a.Has("war3campaign.w3f"):
		return fmt.Errorf("%w: it is a campaign, whose maps can only be played alone", ErrNotMap)
	case errors.Is(err, mpq.ErrNotFound):
		return fmt.Errorf("%w: it is an MPQ archive without war3map.w3i", ErrNotMap)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	in, err := parseInfo(data)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	texts, err := readSmall(a, "war3map.wts", maxTexts)
	if err != nil && !errors.Is(err, mpq.ErrNotFound) {
		m.warn("war3map.wts is damaged, so texts of the map are missing: %v.", err)
	}
	m.fill(in, parseStrings(texts, in.references()))
	return nil
}

// readSmall reads a file of at most limit bytes from the archive.
func readSmall(a *mpq.Archive, name string, limit int64) ([]byte, error) {
	f, err := a.Open(name)
	if err != nil {
		return nil, err
	}
	if f.Size() > limit {
		return nil, fmt.Errorf("%s claims %d bytes; the limit is %d", name, f.Size(), limit)
	}
	return f.ReadAll()
}

// fill copies the values of war3map.w3i into m and resolves its texts.
func (m *Map) fill(in *info, texts stringTable) {
	long := false
	for _, text := range in.texts() {
		*text = texts.resolve(*text)
		if len(*text) > maxText {
			*text, long = strings.Clone(w3gs.Cut(*text, maxText)), true // clone, so that the whole text can be freed
		}
	}
	if long {
		m.warn("A text of the map is longer than %d bytes and was cut off there.", maxText)
	}
	m.Info = in.Info
	m.Width, m.Height = uint16(in.width), uint16(in.height)
	m.Players, m.Forces = in.players, in.forces
	if in.cut {
		m.warn("war3map.w3i ends within its forces; the %d before that count.", len(m.Forces))
	}
	if in.width > math.MaxUint16 || in.height > math.MaxUint16 {
		m.warn("war3map.w3i claims a size of %d × %d.", in.width, in.height)
	}
	if in.Format > formatNewest {
		m.warn("war3map.w3i has format %d, which is newer than this program supports: check the map's properties.", in.Format)
	}
	if needs := in.needs(); m.Version < needs {
		m.warn("The map was saved for %v or later (format %d): clients of %v cannot play it.", needs, in.Format, m.Version)
	}
	m.setSlots()
}

// needs returns the first game version that can load a map of this format.
func (m *info) needs() w3gs.Version {
	switch {
	case m.Format >= 32:
		return w3gs.VersionTwo
	case m.Format >= 29:
		return w3gs.ReforgedVersion
	case m.Format > formatTFT:
		return w3gs.LuaVersion
	case m.Format > formatRoC:
		return 7
	default:
		return 0
	}
}

// setPath sets the path sent to clients. Clients refuse paths that are too long, so a long file name is
// shortened before its extension; downloads are stored under the shortened name.
func (m *Map) setPath() {
	name := m.File
	if over := len(pathPrefix) + len(name) - w3gs.MaxMapPathLen; over > 0 {
		ext := path.Ext(name)
		if len(ext) > 8 {
			ext = ""
		}
		stem := name[:max(0, len(name)-len(ext)-over)]
		for !utf8.ValidString(stem) && utf8.ValidString(name) {
			stem = stem[:len(stem)-1]
		}
		name = stem + ext
		m.warn("The file's name is too long for clients: they see %q. A name of up to %d bytes stays whole.",
			name, w3gs.MaxMapPathLen-len(pathPrefix))
	}
	m.Path = pathPrefix + name
}

// signed reports whether the file ends with Blizzard's signature: "NGIS" and 256 bytes.
func signed(r io.ReaderAt, size int64) bool {
	var tag [4]byte
	if size < 260 {
		return false
	}
	_, err := r.ReadAt(tag[:], size-260)
	return err == nil && bytes.Equal(tag[:], []byte("NGIS"))
}

// ConfigName returns the name of the operator's settings file for a map file; it lies beside the map and
// overrides the map's own properties.
func ConfigName(mapFile string) string {
	return strings.TrimSuffix(mapFile, path.Ext(mapFile)) + ".toml"
}

func baseName(name string) string {
	return name[strings.LastIndexAny(name, `/\`)+1:]
}
