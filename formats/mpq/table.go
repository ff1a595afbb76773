package mpq

import (
	"encoding/binary"
	"fmt"
	"io"
)

const (
	entrySize = 16 // size of an entry of the hash table and of the block table

	// maxEntries limits both tables and equals the limit of the game's own tools. Larger counts are falsified
	// to make readers allocate memory; entries beyond are ignored.
	maxEntries = 0x80000

	blockFree = 0xFFFFFFFF // ends a lookup; 0xFFFFFFFE (deleted) is just an index outside the table
)

const (
	flagImploded   = 0x00000100 // every sector is compressed with PKWARE, without a mask byte
	flagCompressed = 0x00000200 // each compressed sector starts with a mask byte
	flagPacked     = 0x0000FF00 // any of these bits: the file has a sector table
	flagEncrypted  = 0x00010000
	flagFixedKey   = 0x00020000
	flagSingleUnit = 0x01000000 // one sector without a table; ignored by Warcraft III before 1.30
	flagDeleted    = 0x02000000
	flagSectorCRC  = 0x04000000
	flagExists     = 0x80000000
)

// table is a decrypted hash or block table, truncated to the entries present in the source.
type table []byte

// hashEntry is a hash table entry: name check A u32 · name check B u32 · locale u16 · platform u16 · block
// index u32.
type hashEntry struct {
	nameChecks
	locale, platform uint16
	block            uint32
}

// nameChecks identifies a name in the hash table.
type nameChecks struct{ a, b uint32 }

func checksOf(name string) nameChecks {
	return nameChecks{hashName(name, hashNameA), hashName(name, hashNameB)}
}

// block is a block table entry: offset from the header u32 · packed size u32 · size u32 · flags u32.
type block struct {
	pos          uint32
	packed, size uint32
	flags        uint32
}

func (t table) len() int { return len(t) / entrySize }

func (t table) hash(i int) hashEntry {
	e, le := t[i*entrySize:], binary.LittleEndian
	return hashEntry{nameChecks{le.Uint32(e), le.Uint32(e[4:])}, le.Uint16(e[8:]), le.Uint16(e[10:]), le.Uint32(e[12:])}
}

func (t table) block(i int) block {
	e, le := t[i*entrySize:], binary.LittleEndian
	return block{le.Uint32(e), le.Uint32(e[4:]), le.Uint32(e[8:]), le.Uint32(e[12:])}
}

// readTable reads count entries, or as many as the source holds. The game does the same, so protectors claim
// counts that are far too large.
func readTable(r io.ReaderAt, size, off int64, count, key uint32) (table, error) {
	n := min(int64(count), maxEntries, max(0, size-off)/entrySize)
	t := make(table, n*entrySize)
	got, err := readAvailable(r, t, off)
	if err != nil {
		return nil, err
	}
	t = t[:got/entrySize*entrySize]
	decrypt(t, key)
	return t, nil
}

// block returns entry i of the block table and reports whether it can be a file.
func (a *Archive) block(i uint32) (block, bool) {
	if int64(i) >= int64(a.blocks.len()) {
		return block{}, false
	}
	b := a.blocks.block(int(i))
	if b.flags&flagExists == 0 || (b.flags&flagDeleted != 0 && b.size == 0) {
		return b, false
	}
	at := a.header.abs(b.pos)
	return b, b.size == 0 || (at >= 0 && at < a.size)
}

// find looks up a name. The table may hold several entries for it: for other languages, or as decoys. The
// highest rank wins, and among equals the last entry, as in Warcraft III (StarCraft uses the first).
func (a *Archive) find(name string) (found block, ok bool) {
	best, checks := 0, checksOf(name)
	consider := func(i int) (stop bool) {
		e := a.hashes.hash(i)
		if e.block == blockFree {
			return true
		}
		if e.nameChecks == checks {
			if b, ok := a.block(e.block & countMask); ok && e.rank() >= best {
				best, found = e.rank(), b
			}
		}
		return false
	}

	// The game advances with (i+1) & (count-1). For a power of two that covers the whole table; for other
	// counts it cycles through the lowest bits only. Entries beyond the source match nothing and are skipped,
	// so a count of 2^27 costs no more than the entries that exist.
	count := a.header.hashCount
	start := hashName(name, hashStart) & (count - 1)
	span := count & -count
	low := start &^ (span - 1)
	have := uint32(a.hashes.len())
	ended := false
	for i := start; i < min(low+span, have) && !ended; i++ {
		ended = consider(int(i))
	}
	for i := low; i < min(start, have) && !ended; i++ {
		ended = consider(int(i))
	}
	if best == 0 && span != count {
		for i := range a.hashes.len() {
			consider(i)
		}
	}
	return found, best > 0
}

// rank orders the entries of one name and prefers the neutral language. Some protected maps have no neutral
// entry and random platforms.
func (e hashEntry) rank() int {
	switch {
	case e.locale == 0 && e.platform == 0:
		return 3
	case e.locale == 0:
		return 2
	}
	return 1
}

// usable reports whether any entry leads to a file; otherwise the header is a decoy.
func (a *Archive) usable() bool {
	for i := range a.hashes.len() {
		if _, ok := a.block(a.hashes.hash(i).block & countMask); ok {
			return true
		}
	}
	return false
}

// load reads the tables of header h.
func load(r io.ReaderAt, size int64, h header) (*Archive, error) {
	a := &Archive{r: r, size: size, header: h}
	var err error
	if a.hashes, err = readTable(r, size, h.abs(h.hashPos), h.hashCount, hashTableKey); err != nil {
		return nil, &Error{"hash table", h.abs(h.hashPos), fmt.Errorf("reading it: %w", err)}
	}
	if a.blocks, err = readTable(r, size, h.abs(h.blockPos), h.blockCount, blockTableKey); err != nil {
		return nil, &Error{"block table", h.abs(h.blockPos), fmt.Errorf("reading it: %w", err)}
	}
	return a, nil
}
