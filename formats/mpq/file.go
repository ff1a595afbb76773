package mpq

import (
	"fmt"
	"io"
	"slices"
	"sync"
)

const (
	// readAhead is the number of bytes fetched at once, because most sectors have only 4 KiB.
	readAhead = 64 << 10

	// plainSector is the read size for uncompressed, unencrypted files, which have no sectors.
	plainSector = 64 << 10
)

// buffers holds memory that is reused from one file to the next.
type buffers struct{ sector, ahead []byte }

var spare = sync.Pool{New: func() any { return new(buffers) }}

// File is an open file of an archive. It is read sequentially, one sector at a time.
type File struct {
	a          *Archive
	name       string
	b          block
	key        uint32
	sectorSize uint32
	offsets    []uint32 // start of each sector relative to the block, then the end of the last one; nil for an uncompressed file
	checks     []uint32 // Adler checksums of the compressed sectors, or nil
	unit       bool     // result of SingleUnit

	next  int      // index of the next sector
	ready []byte   // unpacked bytes not yet returned
	mem   *buffers // mem.sector backs ready; mem.ahead holds fetched raw bytes
	at    int64    // source offset of mem.ahead
	err   error
}

// newFile prepares block b for reading. key is used if the block is encrypted.
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
		err = fmt.Errorf("%w: %d bytes in one sector; the limit is %d", ErrTooLarge, sector, maxSector)
	}
	if err != nil {
		f.release()
		return nil, f.fault(err)
	}
	return f, nil
}

// release returns the buffers to the pool. No sector can be read afterwards.
func (f *File) release() {
	if f.mem != nil {
		spare.Put(f.mem)
		f.mem = nil
	}
}

// SingleUnit reports whether the file is stored as one sector in a way that only Warcraft III 1.30 and later
// reads.
func (f *File) SingleUnit() bool { return f.unit }

// Size returns the unpacked size in bytes, as claimed by the archive.
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

// WriteTo implements io.WriterTo. It writes the rest of the file, one Write per sector, and holds only one
// sector in memory.
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

// advance unpacks the next sector into ready, or sets err and returns false.
func (f *File) advance() bool {
	switch {
	case f.err != nil:
		return false
	case f.mem == nil: // empty file
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

// ReadAll returns the content of a file from which nothing has been read yet. Like Archive.ReadFile, it
// returns ErrTooLarge above maxFileSize.
func (f *File) ReadAll() ([]byte, error) {
	defer f.release()
	if f.b.size > maxFileSize {
		return nil, f.fault(fmt.Errorf("%w: %d bytes; the limit is %d", ErrTooLarge, f.b.size, maxFileSize))
	}
	// Allocate at most eight times the stored size at once; the rest grows with actual data.
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

// stored returns an upper limit for the bytes of the source that belong to the file.
func (f *File) stored() int64 {
	rest := max(0, f.a.size-f.a.header.abs(f.b.pos))
	if f.offsets != nil {
		return min(rest, int64(f.offsets[len(f.offsets)-1]-f.offsets[0]))
	}
	return rest
}

// appendSector appends the next unpacked sector to dst. It returns io.EOF after the last one.
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
	if packed > maxSector { // uncompressed sector followed by unrelated bytes
		packed = uint32(want+3) &^ 3
	}
	// Fetch ahead up to the end of the file, since sectors are contiguous.
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
	case len(raw) >= want: // a sector that does not shrink is stored uncompressed
		return append(dst, raw[:want]...), nil
	case len(raw) == 0: // like the game, treat it as zeros
		return fill(dst, want)
	case f.b.flags&flagCompressed != 0:
		return expand(dst, raw, want)
	case f.b.flags&flagImploded != 0:
		return finish(explode, dst, raw, want)
	}
	return nil, fmt.Errorf("%w: flags %08x", ErrUnsupported, f.b.flags)
}

// raw returns n raw bytes at offset off from the block; the caller may modify them until the next call. Up to
// rest bytes of the same file may be fetched ahead.
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
		m.ahead = make([]byte, max(fetch, min(rest, maxSector, int64(f.sectorSize)))) // enough for all further sectors
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

// fault wraps an error with the file's name and position.
func (f *File) fault(err error) error {
	return &Error{f.name, f.a.header.abs(f.b.pos), err}
}

// grow ensures capacity for n more bytes; end is the largest final length of dst. It grows by a factor of
// four, because append's factor of 1.25 leaves five times the size of a large sector as garbage.
func grow(dst []byte, n, end int) []byte {
	if cap(dst)-len(dst) >= n {
		return dst
	}
	return slices.Grow(dst, max(n, min(4*cap(dst), end)-len(dst)))
}
