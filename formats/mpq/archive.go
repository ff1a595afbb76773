// Package mpq reads MPQ archives, the container of Warcraft III maps, and writes simple ones.
//
// It reads what Warcraft III reads, including maps whose header and tables were falsified to keep tools out, and
// archives of the later format versions as long as they have the classic tables. Packed sounds are left alone, because
// a host needs none, and so is all beyond 4 GiB, where no map can be. It trusts no number in the file:
// memory grows with the bytes that are really there, a file that unpacks to more than it claims is an error, and so is
// a sector of more than 16 MiB. Streaming a file takes a packed and an unpacked sector.
//
// An Archive may be used from several goroutines at once; a File may not.
package mpq

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

const (
	// maxFileSize is the most that ReadFile returns, in bytes. No map that Warcraft III plays is larger than this.
	maxFileSize = 256 << 20

	// A file may claim maxRatio bytes for each byte of the archive, plus a little: zlib packs no better than
	// 1032 to 1, and what packs better on empty data has sectors, each of which costs bytes.
	maxRatio = 1032
	slack    = 64 << 10

	// maxSector is the most that one sector unpacks to, a file that is a single unit included, in bytes. It is what
	// the largest sectors of real maps have (shift 15).
	maxSector = 16 << 20

	listfile = "(listfile)"
	maxList  = 4 << 20 // bytes of the list that are read; real ones have a tenth
	maxName  = 1 << 10 // bytes of a name in the list; Windows allows 260
)

// Archive is an open archive. It holds the two tables in memory; file data is read when asked for.
type Archive struct {
	r      io.ReaderAt
	size   int64 // of the source
	header header
	hashes table
	blocks table
}

// Open finds the archive in a source of size bytes. It does not have to begin at the front: headers are searched
// at each 512 bytes, and those that make no sense are passed over. ErrFormat says that there is none.
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
		// A decoy, or an archive without files. It counts if there is nothing better.
		// Its tables are not kept: a file may be full of decoys.
		if empty == nil {
			empty = &h
		}
	}
	if empty == nil {
		return nil, &Error{"archive", -1, fmt.Errorf("%w: no usable header at any multiple of %d bytes", ErrFormat, headerStep)}
	}
	return load(r, size, *empty)
}

// Open opens a file by name. Case does not matter, and / is as good as \. If there are versions for several
// languages, the neutral one is taken, else any.
func (a *Archive) Open(name string) (*File, error) {
	b, stored, ok := a.lookup(name)
	if !ok {
		return nil, &Error{name, -1, ErrNotFound}
	}
	return newFile(a, name, b, fileKey(stored, b.flags&flagFixedKey != 0, b.pos, b.size))
}

// ReadFile returns the content of a file. It is meant for files that fit in memory: above maxFileSize it answers
// ErrTooLarge; Open and File.WriteTo have no such bound.
func (a *Archive) ReadFile(name string) ([]byte, error) {
	f, err := a.Open(name)
	if err != nil {
		return nil, err
	}
	return f.ReadAll()
}

// Has says whether there is a file of that name. It may still turn out to be damaged.
func (a *Archive) Has(name string) bool {
	_, _, ok := a.lookup(name)
	return ok
}

// Names lists the files that the archive's own list names and that exist. The list is often missing or false in
// protected maps, so nothing should depend on it. Only the first 4 MiB of it are read.
func (a *Archive) Names() []string {
	f, err := a.Open(listfile)
	if err != nil {
		return nil
	}
	list := make([]byte, min(f.Size(), maxList))
	if _, err := io.ReadFull(f, list); err != nil {
		return nil
	}
	// A set rather than a search per name: protected maps fill the table so that a search never ends early.
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
			delete(present, checks) // it is listed once
			names = append(names, string(name))
		}
	}
	return names
}

// lookup also returns the name under which the file was found, from which its key is made. Slashes become
// backslashes as in the game; a few packers store the slash itself.
func (a *Archive) lookup(name string) (b block, stored string, ok bool) {
	stored = strings.ReplaceAll(name, "/", `\`)
	if b, ok = a.find(stored); ok || stored == name {
		return b, stored, ok
	}
	b, ok = a.find(name)
	return b, name, ok
}

// bound is the size that no file of this archive can have.
func (a *Archive) bound() int64 { return maxRatio*a.size + slack }

// corrupt makes the error of a damaged file.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
}
