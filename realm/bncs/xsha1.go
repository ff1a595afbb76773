package bncs

import (
	"encoding/binary"
	"math/bits"
)

// xsha1 is the realms' variant of SHA-1: little-endian words, zero padding without a length, and a message schedule in
// which the value and the rotation count are swapped.
func xsha1(data []byte) (sum [20]byte) {
	h := [5]uint32{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0}
	for len(data) > 0 {
		var block [64]byte
		data = data[copy(block[:], data):]
		xsha1Block(&h, &block)
	}
	for i, v := range h {
		binary.LittleEndian.PutUint32(sum[i*4:], v)
	}
	return sum
}

func xsha1Block(h *[5]uint32, block *[64]byte) {
	var w [80]uint32
	for i := range 16 {
		w[i] = binary.LittleEndian.Uint32(block[i*4:])
	}
	for i := 16; i < len(w); i++ {
		w[i] = 1 << ((w[i-16] ^ w[i-8] ^ w[i-14] ^ w[i-3]) & 31)
	}
	a, b, c, d, e := h[0], h[1], h[2], h[3], h[4]
	for i := range w {
		var f, k uint32
		switch i / 20 {
		case 0:
			f, k = b&c|^b&d, 0x5A827999
		case 1:
			f, k = b^c^d, 0x6ED9EBA1
		case 2:
			f, k = b&c|b&d|c&d, 0x8F1BBCDC
		default:
			f, k = b^c^d, 0xCA62C1D6
		}
		a, b, c, d, e = bits.RotateLeft32(a, 5)+f+e+w[i]+k, a, bits.RotateLeft32(b, 30), c, d
	}
	h[0], h[1], h[2], h[3], h[4] = h[0]+a, h[1]+b, h[2]+c, h[3]+d, h[4]+e
}

// PasswordHash returns the proof of a logon with XSHA1: the hash of the password in lower case, as stored by PvPGN. It
// is the same for every logon, so whoever reads it can log on; it must not be logged.
func PasswordHash(password string) [20]byte { return xsha1([]byte(LowerASCII(password))) }

// LowerASCII returns s in lower case as realms compare it: only ASCII letters change.
func LowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
