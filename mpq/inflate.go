package mpq

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"io"
	"slices"
	"sync"
)

var inflaters = sync.Pool{New: func() any {
	return &inflater{flate: flate.NewReader(bytes.NewReader(nil))}
}}

// inflater is kept between sectors: its tables are larger than most sectors.
type inflater struct {
	src   bytes.Reader
	flate io.ReadCloser
	one   [1]byte
}

// inflate unpacks zlib data. The two bytes before the stream and the sum after it are not looked at: protectors
// falsify them, and what counts is that the data comes out.
func inflate(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < 2 {
		return dst, errCutShort
	}
	inf := inflaters.Get().(*inflater)
	defer inflaters.Put(inf)
	inf.src.Reset(src[2:])
	if err := inf.flate.(flate.Resetter).Reset(&inf.src, nil); err != nil {
		return dst, err
	}
	return drain(inf.flate, dst, limit, inf.one[:])
}

// unbzip2 unpacks bzip2 data. The reader of the standard library allocates four bytes for each byte of the block size
// that the stream names, which is 900 kB whatever comes; a sector of limit bytes needs no more than limit and a
// quarter, the worst case of the run-length coding inside.
func unbzip2(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < 4 || src[0] != 'B' || src[1] != 'Z' || src[2] != 'h' {
		return dst, errCutShort
	}
	level := byte('0' + min(9, (limit+limit/4)/100_000+1))
	head := [4]byte{'B', 'Z', 'h', min(level, src[3])}
	r := bzip2.NewReader(io.MultiReader(bytes.NewReader(head[:]), bytes.NewReader(src[4:])))
	return drain(r, dst, limit, make([]byte, 1))
}

// drain appends what r yields, up to limit bytes, growing dst as the data comes. one is scratch.
func drain(r io.Reader, dst []byte, limit int, one []byte) ([]byte, error) {
	end := len(dst) + limit
	for len(dst) < end {
		if cap(dst) == len(dst) {
			dst = slices.Grow(dst, min(end-len(dst), max(512, len(dst)/4)))
		}
		n, err := r.Read(dst[len(dst):min(cap(dst), end)])
		dst = dst[:len(dst)+n]
		if err == io.EOF {
			return dst, nil
		}
		if err != nil && len(dst) < end {
			return dst, corrupt("%w", err)
		}
		if err != nil {
			return dst, nil
		}
	}
	// Rubbish after the data is no fault, more data is.
	for range 2 {
		n, err := r.Read(one)
		if n > 0 {
			return dst, errOverrun
		}
		if err != nil {
			break
		}
	}
	return dst, nil
}
