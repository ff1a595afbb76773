// Package mpq reads MPQ archives, the container format of Warcraft III maps, and writes simple ones.
//
// Open returns an Archive, whose files are read through File; Writer creates archives in memory. Packages
// formats/w3map and formats/mapconf use it to read maps and the game's own archives.
//
// It reads whatever Warcraft III reads, including maps whose headers and tables were falsified to keep tools
// out, and archives of later format versions if they have the classic tables. It does not decompress sounds,
// which a host never needs, and does not read beyond 4 GiB. It trusts no number in the file: memory grows
// only with actual data, and it returns an error for a file that unpacks to more than it claims or for a
// sector above 16 MiB. Streaming a file takes memory for one packed and one unpacked sector.
//
// An Archive is safe for concurrent use; a File is not.
package mpq

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

const (
	// maxFileSize is the largest file that ReadFile returns, in bytes. No map that Warcraft III plays is
	// larger.
	maxFileSize = 256 << 20

	// maxRatio limits the claimed size of a file to this multiple of the archive's size, plus slack. zlib
	// compresses at most 1032 to 1; methods that compress empty data better do so per sector, and each sector
	// takes some bytes.
	maxRatio = 1032
	slack    = 64 << 10

	// maxSector is the largest unpacked sector in bytes, including single-unit files. It equals the largest
	// sectors of real maps (shift 15).
	maxSector = 16 << 20

	listfile = "(listfile)"
	maxList  = 4 << 20 // limit for the list file in bytes; real ones are a tenth of this
	maxName  = 1 << 10 // limit for a name in the list in bytes; Windows allows 260
)

// Archive is an open archive. It holds the hash and block tables in memory and reads file data on demand.
type Archive struct {
	r      io.ReaderAt
	size   int64 // size of the source in bytes
	header header
	hashes table
	blocks table
}

// Open finds and opens the archive in a source of size bytes. Like the game, it searches for a header at
// every multiple of 512 bytes and skips implausible ones. It returns ErrFormat if there is none. r must stay
// valid while the archive is used.
func Open(r io.ReaderAt, size int64) (*Archive, error) {
	var empty *header
	for h, err := range headers(r, size) {
		if err != nil {
			return nil, &Error{"archive", -1, fmt.Errorf("searching the header: %w", err)}
		}
		a, err := load(r, size, h)
		if err != nil {
			return nil, err
		}
		if a.usable() {
			return a, nil
		}
		// A decoy, or an archive without files. It is used only if no better header follows. Its tables are
		// not kept, because a file may be full of decoys.
		if empty == nil {
			empty = &h
		}
	}
	if empty == nil {
		return nil, &Error{"archive", -1, fmt.Errorf("%w: no usable header at any multiple of %d bytes", ErrFormat, headerStep)}
	}
	return load(r, size, *empty)
}

// Open opens a file by name. Case is ignored, and / is treated as \. Among several language versions it
// prefers the neutral one. It returns ErrNotFound if there is none.
func (a *Archive) Open(name string) (*File, error) {
	b, stored, ok := a.lookup(name)
	if !ok {
		return nil, &Error{name, -1, ErrNotFound}
	}
	return newFile(a, name, b, fileKey(stored, b.flags&flagFixedKey != 0, b.pos, b.size))
}

// ReadFile returns the content of a file, or ErrTooLarge above maxFileSize. Use Open and File.WriteTo for
// larger files.
func (a *Archive) ReadFile(name string) ([]byte, error) {
	f, err := a.Open(name)
	if err != nil {
		return nil, err
	}
	return f.ReadAll()
}

// Has reports whether a file of that name exists. Its data may still be damaged.
func (a *Archive) Has(name string) bool {
	_, _, ok := a.lookup(name)
	return ok
}

// Names returns the files in the archive's own list that exist. Protected maps often have no list or a wrong
// one, so callers must not rely on it. Only the first 4 MiB of the list are read.
func (a *Archive) Names() []string {
	f, err := a.Open(listfile)
	if err != nil {
		return nil
	}
	list := make([]byte, min(f.Size(), maxList))
	if _, err := io.ReadFull(f, list); err != nil {
		return nil
	}
	// A set instead of a lookup per name: protected maps fill the hash table so that a lookup never ends
	// early.
	present := map[nameChecks]bool{}
	for i := range a.hashes.len() {
		e := a.hashes.hash(i)
		if _, ok := a.block(e.block & countMask); ok {
			present[e.nameChecks] = true
		}
	}
	var names []string
	for name := range bytes.FieldsFuncSeq(list, func(r rune) bool { return r == '\r' || r == '\n' || r == ';' }) {
		if len(name) > maxName {
			continue
		}
		if checks := checksOf(strings.ReplaceAll(string(name), "/", `\`)); present[checks] {
			delete(present, checks) // list each name once
			names = append(names, string(name))
		}
	}
	return names
}

// lookup finds a file. It also returns the stored spelling of the name, from which the file's key is derived.
// Like the game, it converts slashes to backslashes; a few packers store real slashes, which it tries next.
func (a *Archive) lookup(name string) (b block, stored string, ok bool) {
	stored = strings.ReplaceAll(name, "/", `\`)
	if b, ok = a.find(stored); ok || stored == name {
		return b, stored, ok
	}
	b, ok = a.find(name)
	return b, name, ok
}

// bound returns the largest plausible size of a file in this archive.
func (a *Archive) bound() int64 { return maxRatio*a.size + slack }

// corrupt returns an error that wraps ErrCorrupt.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
}
