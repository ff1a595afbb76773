package mpq

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"math"
)

// maxSectors limits the sectors of a file; it corresponds to 512 MB in the smallest sectors.
const maxSectors = 1 << 20

// load determines the positions of the file's sectors.
//
// A compressed file starts with a table: the start of each sector and the end of the last one, as u32
// relative to the block. With checksums there is one more entry, the end of the checksums. An encrypted
// file's table is encrypted with the key minus one. A single-unit file has no table. But Warcraft III ignored
// that flag before 1.30, and protectors set it on ordinary files; a file with a valid table is therefore read
// as one with sectors.
func (f *File) load() error {
	switch {
	case f.b.flags&flagPacked == 0:
		f.loadStored()
		return nil
	case f.b.flags&flagSingleUnit == 0:
		return f.loadTable(false)
	}
	if f.loadTable(true) != nil {
		f.unit = true
		f.sectorSize = f.b.size
		f.offsets = []uint32{0, f.b.packed}
	}
	return nil
}

// loadStored prepares reading an uncompressed file, whose sectors follow from its size.
func (f *File) loadStored() {
	switch {
	case f.b.flags&flagEncrypted == 0:
		f.sectorSize = plainSector
	case f.b.flags&flagSingleUnit != 0:
		f.unit = f.b.size > f.sectorSize // a file of one sector reads the same in all versions
		f.sectorSize = f.b.size
	}
}

// loadTable reads the sector table. If strict, the table must start with its own length.
func (f *File) loadTable(strict bool) error {
	count := int((f.Size()-1)/int64(f.sectorSize)) + 1
	length := int64(count+1) * 4
	whole := length
	if f.b.flags&flagSectorCRC != 0 {
		whole += 4
	}
	rest := f.a.size - f.a.header.abs(f.b.pos)
	switch {
	case count > maxSectors:
		return fmt.Errorf("%w: %d sectors; the limit is %d", ErrTooLarge, count, maxSectors)
	case length > rest:
		return corrupt("its table of %d sectors does not fit in the archive", count)
	}
	whole = min(whole, rest&^3)
	raw, err := f.raw(0, int(whole), max(whole, int64(f.b.packed)))
	if err != nil {
		return fmt.Errorf("sector table: %w", err)
	}
	table := bytes.Clone(raw) // clone, because raw's buffer holds data fetched ahead
	if f.b.flags&flagEncrypted != 0 {
		decrypt(table, f.key-1)
	}
	offsets := words(table)
	if strict && int64(offsets[0]) != length && int64(offsets[0]) != length+4 {
		return corrupt("it has no sector table")
	}
	for i := range count {
		if n := offsets[i+1] - offsets[i]; n > f.sectorSize {
			return corrupt("invalid sector table: sector %d would have %d bytes", i+1, n)
		}
	}
	f.offsets = offsets[:count+1]
	if len(offsets) == count+2 && int64(offsets[0]) == length+4 {
		f.loadChecks(offsets[count+1])
	}
	return nil
}

// loadChecks reads the Adler-32 checksums of the compressed sectors, which follow the last sector and end at
// end. They are compressed if that saves space, and never encrypted. Data that cannot be a checksum table is
// ignored.
func (f *File) loadChecks(end uint32) {
	count := len(f.offsets) - 1
	start := f.offsets[count]
	n := end - start
	if n < 4 || n > f.sectorSize || int64(n) > int64(count)*4 {
		return
	}
	raw, err := f.rawAside(nil, start, int(n))
	if err != nil {
		return
	}
	if len(raw) < count*4 {
		if raw, err = expand(nil, raw, count*4); err != nil {
			return
		}
	}
	f.checks = words(raw[:count*4])
}

// words decodes little-endian u32 values.
func words(b []byte) []uint32 {
	list := make([]uint32, len(b)/4)
	_, _ = binary.Decode(b, binary.LittleEndian, list) // cannot fail: list has the right size
	return list
}

// check compares a decrypted, still compressed sector with its checksum.
//
// The game never checks these, and some tools write other values. A wrong checksum is therefore an error only
// if another sector of the file has a correct one; otherwise all checksums are ignored.
func (f *File) check(i int, raw []byte) error {
	if f.checks == nil || f.matches(i, raw) {
		return nil
	}
	var aside []byte
	for j := range f.checks {
		if j == i || f.checks[j] == 0 || f.checks[j] == math.MaxUint32 {
			continue
		}
		other, err := f.rawAside(aside, f.offsets[j], int(f.offsets[j+1]-f.offsets[j]))
		if err != nil {
			continue
		}
		aside = other
		if f.b.flags&flagEncrypted != 0 {
			decrypt(other, f.key+uint32(j))
		}
		if f.matches(j, other) {
			return corrupt("its checksum is %08x and should be %08x", adlerFromZero(raw), f.checks[i])
		}
	}
	f.checks = nil
	return nil
}

// matches reports whether a sector has the expected checksum. 0 and all ones mean that there is none.
func (f *File) matches(i int, raw []byte) bool {
	return f.checks[i] == 0 || f.checks[i] == math.MaxUint32 || f.checks[i] == adlerFromZero(raw)
}

// rawAside reads like raw, but into buf if it is large enough, and keeps the bytes fetched ahead.
func (f *File) rawAside(buf []byte, off uint32, n int) ([]byte, error) {
	ahead, at := f.mem.ahead, f.at
	f.mem.ahead = buf[:0]
	raw, err := f.raw(off, n, int64(n))
	f.mem.ahead, f.at = ahead, at
	return raw, err
}

// adlerFromZero is Adler-32 with both halves starting at 0; the standard starts the low half at 1.
func adlerFromZero(data []byte) uint32 {
	const mod = 65521
	sum := adler32.Checksum(data)
	low := (sum&0xFFFF + mod - 1) % mod
	high := (sum>>16 + mod - uint32(len(data)%mod)) % mod
	return high<<16 | low
}
