package mpq

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

var inflaters = sync.Pool{New: func() any {
	z := new(inflater)
	z.Reader = flate.NewReader(&z.src)
	return z
}}

// inflater is a reusable decompressor, since maps consist of many small sectors.
type inflater struct {
	io.Reader // also implements flate.Resetter
	src       bytes.Reader
	more      [1]byte
}

// inflate decompresses zlib data. It ignores the zlib header and checksum, which protectors falsify.
func inflate(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < 2 {
		return dst, errCutShort
	}
	z := inflaters.Get().(*inflater)
	defer inflaters.Put(z)
	z.src.Reset(src[2:])
	if err := z.Reader.(flate.Resetter).Reset(&z.src, nil); err != nil {
		return dst, err
	}
	for end := len(dst) + limit; len(dst) < end; {
		dst = grow(dst, min(512, end-len(dst)), end)
		n, err := z.Read(dst[len(dst):min(cap(dst), end)])
		dst = dst[:len(dst)+n]
		switch {
		case len(dst) == end:
		case err == io.EOF:
			return dst, nil
		case err == io.ErrUnexpectedEOF:
			return dst, errCutShort
		case err != nil:
			return dst, corrupt("%v", err)
		}
	}
	if n, _ := z.Read(z.more[:]); n > 0 { // trailing bytes after the data are allowed
		return dst, errOverrun
	}
	return dst, nil
}
