package mpq

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

const (
	defaultShift = 3 // sectors of 4 KiB, as the World Editor writes
)

// AddOptions selects how a file is stored. The zero value compresses it with zlib in sectors.
type AddOptions struct {
	Store      bool // do not compress
	Encrypt    bool // encrypt with a key derived from the name
	FixKey     bool // derive the key from position and size as well; requires Encrypt
	SectorCRC  bool // add a checksum for each compressed sector; requires compression and sectors
	SingleUnit bool // store as one sector; Warcraft III before 1.30 cannot read this
}

// Writer creates an archive of format version 0 in memory, for tests and for generated maps. The output is
// deterministic.
type Writer struct {
	Shift    uint16 // sectors have 512<<Shift bytes; set it before the first Add
	prefix   []byte
	files    []packedFile
	present  map[string]bool
	listed   []string
	unlisted bool // leave out the (listfile), which is otherwise the last file
}

// packedFile is a compressed file, before the encryption that depends on its position.
type packedFile struct {
	name          string
	flags         uint32
	size          uint32
	sectors       [][]byte
	table, checks []byte
}

// NewWriter starts an archive after prefix, such as the 512-byte header of a map. It copies the prefix and
// pads it with zeros to a multiple of 512 bytes, where an archive must start.
func NewWriter(prefix []byte) *Writer {
	n := (len(prefix) + headerStep - 1) / headerStep * headerStep
	return &Writer{prefix: append(bytes.Clone(prefix), make([]byte, n-len(prefix))...), Shift: defaultShift, present: map[string]bool{}}
}

// Add adds a file. Slashes in the name become backslashes. data may be retained until Bytes is called.
func (w *Writer) Add(name string, data []byte, opts AddOptions) error {
	pack := deflate
	if opts.Store {
		pack = nil
	}
	return w.add(name, data, opts, flagCompressed, pack)
}

// add adds a file whose sectors are compressed with pack. pack returns nil for data that does not shrink.
func (w *Writer) add(name string, data []byte, opts AddOptions, packFlag uint32, pack func([]byte) []byte) error {
	name = strings.ReplaceAll(name, "/", `\`)
	id := strings.ToUpper(name)
	switch {
	case name == "":
		return errors.New("mpq: the file name is empty")
	case w.present[id]:
		return fmt.Errorf("mpq: %s is already in the archive", name)
	case opts.FixKey && !opts.Encrypt:
		return fmt.Errorf("mpq: %s: FixKey requires Encrypt", name)
	case opts.SectorCRC && (pack == nil || opts.SingleUnit):
		return fmt.Errorf("mpq: %s: SectorCRC requires compression and sectors", name)
	case int64(len(data)) > maxFileSize:
		return &Error{name, -1, fmt.Errorf("%w: %d bytes; the limit is %d", ErrTooLarge, len(data), maxFileSize)}
	}
	f := packedFile{name: name, size: uint32(len(data)), flags: flagExists}
	if len(data) > 0 {
		for flag, on := range map[uint32]bool{
			flagEncrypted: opts.Encrypt, flagFixedKey: opts.FixKey, flagSectorCRC: opts.SectorCRC,
			flagSingleUnit: opts.SingleUnit, packFlag: pack != nil,
		} {
			if on {
				f.flags |= flag
			}
		}
	}
	f.sectors, f.table, f.checks = w.split(data, f.flags, pack)
	w.present[id] = true
	w.files = append(w.files, f)
	w.listed = append(w.listed, name)
	return nil
}

// split cuts data into sectors, compresses them, and builds the sector table and checksums if needed.
func (w *Writer) split(data []byte, flags uint32, pack func([]byte) []byte) (sectors [][]byte, table, checks []byte) {
	step := headerStep << w.Shift
	if flags&flagSingleUnit != 0 {
		step = max(1, len(data))
	}
	for sector := range slices.Chunk(data, step) {
		if pack != nil {
			if p := pack(sector); p != nil && len(p) < len(sector) {
				sector = p
			}
		}
		sectors = append(sectors, sector)
	}
	if pack == nil || len(sectors) == 0 || flags&flagSingleUnit != 0 {
		return sectors, nil, nil
	}
	words := len(sectors) + 1
	if flags&flagSectorCRC != 0 {
		words++
		for _, s := range sectors {
			checks = binary.LittleEndian.AppendUint32(checks, adlerFromZero(s))
		}
		if p := deflate(checks); p != nil && len(p) < len(checks) {
			checks = p
		}
	}
	at := uint32(words * 4)
	for _, s := range sectors {
		table = binary.LittleEndian.AppendUint32(table, at)
		at += uint32(len(s))
	}
	table = binary.LittleEndian.AppendUint32(table, at)
	if flags&flagSectorCRC != 0 {
		table = binary.LittleEndian.AppendUint32(table, at+uint32(len(checks)))
	}
	return sectors, table, checks
}

// appendTo appends the file, encrypted if requested, for position pos in the archive.
func (f *packedFile) appendTo(out []byte, pos uint32) []byte {
	encrypt := encrypt
	if f.flags&flagEncrypted == 0 {
		encrypt = func([]byte, uint32) {}
	}
	key, start := fileKey(f.name, f.flags&flagFixedKey != 0, pos, f.size), len(out)
	out = append(out, f.table...)
	encrypt(out[start:], key-1)
	for i, s := range f.sectors {
		start = len(out)
		out = append(out, s...)
		encrypt(out[start:], key+uint32(i))
	}
	return append(out, f.checks...)
}

var deflaters = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// deflate compresses a sector with zlib and prepends its mask byte.
func deflate(sector []byte) []byte {
	var b bytes.Buffer
	b.WriteByte(maskZlib)
	z := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(z)
	z.Reset(&b)
	_, err := z.Write(sector)
	if err = cmp.Or(err, z.Close()); err != nil {
		panic(err) // cannot happen: writing to a bytes.Buffer never fails
	}
	return b.Bytes()
}

// Bytes returns the prefix followed by the archive.
func (w *Writer) Bytes() ([]byte, error) {
	files := w.files
	if !w.unlisted {
		list := &Writer{Shift: w.Shift, present: map[string]bool{}}
		if err := list.Add(listfile, []byte(strings.Join(w.listed, "\r\n")+"\r\n"), AddOptions{}); err != nil {
			return nil, err
		}
		files = append(files[:len(files):len(files)], list.files...)
	}
	hashes := newHashTable(len(files))
	var blocks []byte
	out := append(bytes.Clone(w.prefix), make([]byte, headerSize)...)
	for i, f := range files {
		pos := uint32(len(out) - len(w.prefix))
		before := len(out)
		out = f.appendTo(out, pos)
		blocks, _ = binary.Append(blocks, binary.LittleEndian, []uint32{pos, uint32(len(out) - before), f.size, f.flags})
		hashes.put(f.name, uint32(i))
	}
	hashPos := len(out) - len(w.prefix)
	encrypt(hashes, hashTableKey)
	encrypt(blocks, blockTableKey)
	out = append(append(out, hashes...), blocks...)
	size := len(out) - len(w.prefix)
	if int64(size) > 1<<32-1 {
		return nil, &Error{"archive", -1, fmt.Errorf("%w: %d bytes; the limit of the format is 4 GiB", ErrTooLarge, size)}
	}

	head, le := out[len(w.prefix):], binary.LittleEndian
	copy(head, magicArchive[:])
	le.PutUint32(head[4:], headerSize)
	le.PutUint32(head[8:], uint32(size))
	le.PutUint16(head[14:], w.Shift)
	le.PutUint32(head[16:], uint32(hashPos))
	le.PutUint32(head[20:], uint32(hashPos+len(hashes)))
	le.PutUint32(head[24:], uint32(len(hashes)/entrySize))
	le.PutUint32(head[28:], uint32(len(files)))
	return out, nil
}

// newHashTable returns an empty table with at least a third spare entries, so that lookups end early.
func newHashTable(files int) table {
	count := max(16, 1<<bits.Len(uint(files*3/2)))
	return bytes.Repeat([]byte{0xFF}, count*entrySize)
}

func (t table) put(name string, block uint32) {
	mask := uint32(t.len() - 1)
	i := hashName(name, hashStart) & mask
	for t.hash(int(i)).block != blockFree {
		i = (i + 1) & mask
	}
	e, le := t[i*entrySize:], binary.LittleEndian
	le.PutUint32(e, hashName(name, hashNameA))
	le.PutUint32(e[4:], hashName(name, hashNameB))
	le.PutUint32(e[8:], 0) // neutral language, all platforms
	le.PutUint32(e[12:], block)
}
