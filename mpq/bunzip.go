package mpq

import (
	"bytes"
	"compress/bzip2"
	"io"
	"slices"
)

// unbzip2 unpacks bzip2 data. The reader of the standard library allocates four bytes for each byte of the block size
// that the stream names, which is 900 kB whatever comes; a sector of limit bytes needs no more than limit and a
// quarter, the worst case of the run-length coding inside.
func unbzip2(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < 4 || string(src[:3]) != "BZh" {
		return dst, corrupt("it is no bzip2 data")
	}
	level := byte('0' + min(9, (limit+limit/4)/100_000+1))
	head := [4]byte{'B', 'Z', 'h', min(level, src[3])}
	r := bzip2.NewReader(io.MultiReader(bytes.NewReader(head[:]), bytes.NewReader(src[4:])))
	end := len(dst) + limit
	for len(dst) < end {
		dst = slices.Grow(dst, min(end-len(dst), 512))
		n, err := r.Read(dst[len(dst):min(cap(dst), end)])
		dst = dst[:len(dst)+n]
		if err == io.EOF {
			return dst, nil
		}
		if err != nil && len(dst) < end {
			return dst, corrupt("%w", err)
		}
	}
	var more [1]byte
	if n, _ := r.Read(more[:]); n > 0 {
		return dst, errOverrun
	}
	return dst, nil
}
