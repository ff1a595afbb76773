// Package mpq reads MPQ archives, the container of Warcraft III maps, and writes simple ones.
//
// It reads what Warcraft III reads, including maps whose header and tables were falsified to keep tools out, and
// archives of the later format versions as long as they have the classic tables. It trusts no number in the file:
// memory grows with the bytes that are really there, and a file that unpacks to more than it claims is an error.
//
// An Archive may be used from several goroutines at once; a File may not.
package mpq

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

const (
	// MaxFileSize is the most that ReadFile returns, in bytes. No map that Warcraft III plays is larger than this.
	MaxFileSize = 256 << 20

	// A file may claim maxRatio bytes for each byte of the archive, plus a little: zlib packs no better than
	// 1032 to 1, and what packs better on empty data has sectors, each of which costs bytes.
	maxRatio = 1032
	slack    = 64 << 10

	listfile = "(listfile)"

	maxKept = 1 << 20 // larger read buffers are left to the garbage collector
)

var aheadPool = sync.Pool{New: func() any { return new([]byte) }}

// Archive is an open archive. It holds the two tables in memory; file data is read when asked for.
type Archive struct {
	r      io.ReaderAt
	size   int64 // of the source
	header header
	hashes table
	blocks table
	high   []byte // upper 16 bits of the block offsets, only above 4 GiB
}

// Open finds the archive in a source of size bytes. It does not have to begin at the front: headers are searched
// at each 512 bytes, and those that make no sense are passed over. ErrFormat says that there is none.
func Open(r io.ReaderAt, size int64) (*Archive, error) {
	var chosen, empty *Archive
	var failure error
	err := searchHeaders(r, size, func(h header) (stop bool) {
		a, err := load(r, size, h)
		if err != nil {
			failure = err
			return true
		}
		if a.usable() == 0 {
			// A decoy, or an archive without files. It counts if there is nothing better.
			if empty == nil {
				empty = a
			}
			return false
		}
		chosen = a
		return true
	})
	switch {
	case err != nil:
		return nil, &Error{"archive", -1, fmt.Errorf("searching the header: %w", err)}
	case failure != nil:
		return nil, failure
	case chosen == nil && empty == nil:
		return nil, &Error{"archive", -1, fmt.Errorf("%w: no usable header at any multiple of %d bytes", ErrFormat, headerStep)}
	case chosen == nil:
		chosen = empty
	}
	return chosen, nil
}

// Open opens a file by name. Case does not matter, and / is as good as \. If there are versions for several
// languages, the neutral one is taken, else any.
func (a *Archive) Open(name string) (*File, error) { return a.OpenLocale(name, 0) }

// OpenLocale opens the version of a file for a language (a Windows language id such as 0x409), else the neutral
// one, else any.
func (a *Archive) OpenLocale(name string, locale uint16) (*File, error) {
	return a.open(name, locale, nil)
}

func (a *Archive) open(name string, locale uint16, ahead []byte) (*File, error) {
	index, stored, ok := a.lookup(name, locale)
	if !ok {
		return nil, &Error{name, -1, ErrNotFound}
	}
	b, _ := a.block(index)
	key := fileKey(stored, b.flags&flagFixedKey != 0, uint32(b.pos), b.size)
	return newFile(a, name, b, key, true, ahead)
}

// Blocks is the number of entries in the block table, for those who look at files without knowing their names.
func (a *Archive) Blocks() int { return a.blocks.len() }

// OpenBlock opens what entry i of the block table describes. The key of an encrypted file is found from what its
// beginning must be; ErrNoKey says that this failed.
func (a *Archive) OpenBlock(i int) (*File, error) {
	name := fmt.Sprintf("block %d", i)
	b, ok := block{}, false
	if i >= 0 && i < a.blocks.len() {
		b, ok = a.block(uint32(i))
	}
	if !ok {
		return nil, &Error{name, -1, ErrNotFound}
	}
	return newFile(a, name, b, 0, false, nil)
}

// ReadFile returns the content of a file. It is meant for files that fit in memory: above MaxFileSize it answers
// ErrTooLarge; Open and File.WriteTo have no such bound.
func (a *Archive) ReadFile(name string) ([]byte, error) {
	ahead := aheadPool.Get().(*[]byte)
	defer aheadPool.Put(ahead)
	f, err := a.open(name, 0, *ahead)
	if err != nil {
		return nil, err
	}
	data, err := f.readAll()
	if cap(f.ahead) <= maxKept {
		*ahead = f.ahead
	}
	return data, err
}

// Has says whether there is a file of that name. It may still turn out to be damaged.
func (a *Archive) Has(name string) bool {
	_, _, ok := a.lookup(name, 0)
	return ok
}

// Names lists the files that the archive's own list names and that exist. The list is often missing or false in
// protected maps, so nothing should depend on it.
func (a *Archive) Names() []string {
	list, err := a.ReadFile(listfile)
	if err != nil {
		return nil
	}
	// A set rather than a search per name: protected maps fill the table so that a search never ends early.
	present := make(map[[2]uint32]bool)
	for i := range a.hashes.len() {
		e := a.hashes.hash(i)
		if _, ok := a.block(e.block & countMask); ok {
			present[[2]uint32{e.nameA, e.nameB}] = true
		}
	}
	var names []string
	for name := range strings.FieldsFuncSeq(string(list), func(r rune) bool { return r == '\r' || r == '\n' || r == ';' }) {
		stored := strings.ReplaceAll(name, "/", `\`)
		key := [2]uint32{hashName(stored, hashNameA), hashName(stored, hashNameB)}
		if present[key] {
			delete(present, key) // named twice, listed once
			names = append(names, name)
		}
	}
	return names
}

// lookup also returns the name under which the file was found, from which its key is made. Slashes become
// backslashes as in the game; a few packers store the slash itself.
func (a *Archive) lookup(name string, locale uint16) (index uint32, stored string, ok bool) {
	stored = strings.ReplaceAll(name, "/", `\`)
	if index, ok = a.find(stored, locale); ok || stored == name {
		return index, stored, ok
	}
	index, ok = a.find(name, locale)
	return index, name, ok
}

// bound is the size that no file of this archive can have.
func (a *Archive) bound() int64 { return maxRatio*a.size + slack }

// corrupt makes the error of a damaged file.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
}
