package mpq

import (
	"fmt"
	"io"
	"slices"
	"sync"
)

const (
	// readAhead is how much packed data is fetched at once: sectors are mostly 4 KiB, reads are better larger.
	readAhead = 64 << 10

	// plainSector is the step in which files without sectors of their own are read.
	plainSector = 64 << 10
)

// buffers are the memory of a file that was read to its end, for the next one.
type buffers struct{ sector, ahead []byte }

var spare = sync.Pool{New: func() any { return new(buffers) }}

// File is an open file of an archive. It is read from front to back, one sector at a time.
type File struct {
	a          *Archive
	name       string
	b          block
	key        uint32
	sectorSize uint32
	offsets    []uint32 // where the sectors begin, from the block's offset, and where the last one ends; nil if the file is stored
	checks     []uint32 // Adler sums of the packed sectors, or nil
	unit       bool     // see SingleUnit

	next  int      // the sector to come
	ready []byte   // unpacked bytes not yet handed out
	mem   *buffers // sector is the memory behind ready, ahead holds raw bytes fetched
	at    int64    // where ahead begins in the source
	err   error
}

// newFile prepares block b for reading. If it is encrypted, then with key.
func newFile(a *Archive, name string, b block, key uint32) (*File, error) {
	f := &File{a: a, name: name, b: b, key: key, sectorSize: a.header.sectorSize}
	if int64(b.size) > a.bound() {
		return nil, f.fault(fmt.Errorf("%w: %d bytes in an archive of %d", ErrTooLarge, b.size, a.size))
	}
	if b.size == 0 {
		return f, nil
	}
	f.mem = spare.Get().(*buffers)
	f.mem.ahead = f.mem.ahead[:0]
	err := f.load()
	if sector := min(f.sectorSize, b.size); err == nil && sector > maxSector {
		err = fmt.Errorf("%w: %d bytes in one sector, of which this reads %d", ErrTooLarge, sector, maxSector)
	}
	if err != nil {
		f.release()
		return nil, f.fault(err)
	}
	return f, nil
}

// release gives the memory to the next file. No sector can be read after it.
func (f *File) release() {
	if f.mem != nil {
		spare.Put(f.mem)
		f.mem = nil
	}
}

// SingleUnit says whether the file is one sector in a way that Warcraft III does not know before 1.30.
func (f *File) SingleUnit() bool { return f.unit }

// Size is the unpacked size in bytes.
func (f *File) Size() int64 { return int64(f.b.size) }

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if len(p) > 0 && len(f.ready) == 0 && !f.advance() {
		return 0, f.err
	}
	n := copy(p, f.ready)
	f.ready = f.ready[n:]
	return n, nil
}

// WriteTo implements io.WriterTo: the rest of the file, holding no more than one sector of it.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for len(f.ready) > 0 || f.advance() {
		n, err := w.Write(f.ready)
		total += int64(n)
		f.ready = f.ready[n:]
		if err != nil {
			return total, err
		}
	}
	if f.err == io.EOF {
		return total, nil
	}
	return total, f.err
}

// advance makes the next sector ready, or sets err.
func (f *File) advance() bool {
	switch {
	case f.err != nil:
		return false
	case f.mem == nil: // an empty file
		f.err = io.EOF
		return false
	}
	if f.mem.sector, f.err = f.appendSector(f.mem.sector[:0]); f.err != nil {
		f.release()
		return false
	}
	f.ready = f.mem.sector
	return true
}

// ReadAll returns the content of a file that nothing was read of yet, unpacked straight into the slice that it returns.
// Its bound is that of Archive.ReadFile.
func (f *File) ReadAll() ([]byte, error) {
	defer f.release()
	if f.b.size > maxFileSize {
		return nil, f.fault(fmt.Errorf("%w: %d bytes, of which this reads %d", ErrTooLarge, f.b.size, maxFileSize))
	}
	// Memory for at most eight times the stored size is taken at once; the rest grows as it comes.
	out := make([]byte, 0, min(int64(f.b.size), 8*f.stored()+slack/16))
	for {
		var err error
		out, err = f.appendSector(out)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// stored is how many bytes of the source can belong to the file.
func (f *File) stored() int64 {
	rest := max(0, f.a.size-f.a.header.abs(f.b.pos))
	if f.offsets != nil {
		return min(rest, int64(f.offsets[len(f.offsets)-1]-f.offsets[0]))
	}
	return rest
}

// appendSector unpacks the next sector to the end of dst. After the last one it answers io.EOF.
func (f *File) appendSector(dst []byte) ([]byte, error) {
	i := f.next
	start := int64(i) * int64(f.sectorSize)
	if start >= f.Size() {
		return dst, io.EOF
	}
	want := int(min(int64(f.sectorSize), f.Size()-start))
	out, err := f.unpackSector(dst, i, want)
	if err != nil {
		return dst, f.fault(fmt.Errorf("sector %d of %d: %w", i+1, (f.Size()-1)/int64(f.sectorSize)+1, err))
	}
	f.next++
	return out, nil
}

func (f *File) unpackSector(dst []byte, i, want int) ([]byte, error) {
	if f.offsets == nil {
		raw, err := f.raw(uint32(i)*f.sectorSize, want, int64(f.sectorSize))
		if err != nil {
			return nil, err
		}
		if f.b.flags&flagEncrypted != 0 {
			decrypt(raw, f.key+uint32(i))
		}
		return append(dst, raw...), nil
	}
	packed := f.offsets[i+1] - f.offsets[i]
	if packed > maxSector { // stored, with other bytes after it
		packed = uint32(want+3) &^ 3
	}
	// Fetch as far as the file goes: the sectors follow each other.
	rest := f.offsets[len(f.offsets)-1] - f.offsets[i]
	raw, err := f.raw(f.offsets[i], int(packed), int64(rest))
	if err != nil {
		return nil, err
	}
	if f.b.flags&flagEncrypted != 0 {
		decrypt(raw, f.key+uint32(i))
	}
	if err := f.check(i, raw); err != nil {
		return nil, err
	}
	switch {
	case len(raw) >= want: // a sector that would not shrink is stored unpacked
		return append(dst, raw[:want]...), nil
	case len(raw) == 0: // the game leaves such a sector empty
		return fill(dst, want)
	case f.b.flags&flagCompressed != 0:
		return expand(dst, raw, want)
	case f.b.flags&flagImploded != 0:
		return finish(explode, dst, raw, want)
	}
	return nil, fmt.Errorf("%w: flags %08x", ErrUnsupported, f.b.flags)
}

// raw returns n bytes at an offset from the block's own. They may be changed by the caller. Up to rest bytes more
// of the same file follow, and some of them are fetched ahead.
func (f *File) raw(off uint32, n int, rest int64) ([]byte, error) {
	at := f.a.header.abs(f.b.pos + off)
	if at < 0 || at+int64(n) > f.a.size {
		return nil, corrupt("it lies at bytes %d to %d, and the archive ends at %d", at, at+int64(n), f.a.size)
	}
	m := f.mem
	if skip := at - f.at; skip >= 0 && skip+int64(n) <= int64(len(m.ahead)) {
		return m.ahead[skip : skip+int64(n)], nil
	}
	rest = min(rest, f.a.size-at)
	fetch := max(int64(n), min(rest, readAhead))
	if int64(cap(m.ahead)) < fetch {
		m.ahead = make([]byte, max(fetch, min(rest, maxSector, int64(f.sectorSize)))) // no further sector needs more
	}
	m.ahead, f.at = m.ahead[:fetch], at
	got, err := readAvailable(f.a.r, m.ahead, at)
	if err == nil && got < n {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		m.ahead = m.ahead[:0]
		return nil, fmt.Errorf("reading %d bytes at %d: %w", n, at, err)
	}
	m.ahead = m.ahead[:got]
	return m.ahead[:n], nil
}

// fault wraps an error with the file's name and place.
func (f *File) fault(err error) error {
	return &Error{f.name, f.a.header.abs(f.b.pos), err}
}

// grow makes room for n bytes more, where end is the most that dst will ever have. It makes four of what there is: append
// makes a quarter more, which for a large sector leaves five times its size to the garbage collector.
func grow(dst []byte, n, end int) []byte {
	if cap(dst)-len(dst) >= n {
		return dst
	}
	return slices.Grow(dst, max(n, min(4*cap(dst), end)-len(dst)))
}
