package mpq

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// lzmaHeader is u8 filter, 0 · u8 lc + 9*(lp + 5*pb) · u32 dictionary · u64 size.
const lzmaHeader = 14

// unlzma unpacks LZMA data, which Warcraft III does not know and later archives may hold.
//
// StormLib 9.22 wrote the model byte over the filter byte and left its own place unset; its archives are still about.
// No filter is known but 0, so anything else is that model byte.
func unlzma(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < lzmaHeader+5 {
		return dst, errCutShort
	}
	props := src[1]
	if src[0] != 0 {
		props = src[0]
	}
	size := binary.LittleEndian.Uint64(src[6:])
	switch {
	case props >= 9*5*5:
		return dst, corrupt("it is no LZMA data: it begins with %02x %02x", src[0], src[1])
	case props%9+props/9%5 > 4:
		return dst, corrupt("its LZMA model has %d bits, of which 4 are in use", props%9+props/9%5) // as LZMA2 has it: it bounds memory
	case size > uint64(limit):
		return dst, errOverrun
	}
	// The dictionary is allocated: it need not be larger than what comes out.
	header := append([]byte{props}, binary.LittleEndian.AppendUint32(nil, uint32(min(size, uint64(binary.LittleEndian.Uint32(src[2:])))))...)
	header = append(header, src[6:lzmaHeader]...)
	r, err := lzma.NewReader(io.MultiReader(bytes.NewReader(header), bytes.NewReader(src[lzmaHeader:])))
	if err == nil {
		out := bytes.NewBuffer(dst)
		_, err = out.ReadFrom(r)
		dst = out.Bytes()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return dst, errCutShort
	}
	if err != nil {
		return dst, corrupt("%v", err)
	}
	return dst, nil
}
