package mpq

import "encoding/binary"

// unsparse unpacks runs of zeros, a method of later archives:
//
//	u32 big-endian size · then bytes n: with the top bit, n&0x7F + 1 literal bytes; without, n + 3 zeros
//
// The last run may be longer than what is left.
func unsparse(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < 5 {
		return dst, errCutShort
	}
	size := int64(binary.BigEndian.Uint32(src))
	if size > int64(limit) {
		return dst, errOverrun
	}
	left := int(size)
	for src = src[4:]; len(src) > 0 && left > 0; {
		n := int(src[0] & 0x7F)
		if src[0]&0x80 == 0 {
			src = src[1:]
			n = min(n+3, left)
			dst = appendZeros(dst, n, len(dst)+left)
		} else {
			src = src[1:]
			n = min(n+1, left)
			if n > len(src) {
				return dst, errCutShort
			}
			dst = append(dst, src[:n]...)
			src = src[n:]
		}
		left -= n
	}
	return dst, nil
}
