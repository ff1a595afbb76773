package replay

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"time"
)

const (
	magic = "Warcraft III recorded game\x1A\x00"

	headerLen0 = 0x40 // up to 1.06
	headerLen1 = 0x44

	// maxPrefix limits the bytes before the magic. Files of a Chinese platform have 51,328.
	maxPrefix = 1 << 20
)

// Header is the file header: magic 28 bytes · header length u32 · file size u32 · header version u32 · stream
// size u32 · blocks u32. Header version 0 continues with u16 0 · version u16 · build u16 · flags u16 ·
// milliseconds u32 · crc u32. Header version 1 continues with product 4 letters reversed · version u32 ·
// build u16 · flags u16 · milliseconds u32 · crc u32. crc is the CRC-32 of the header with crc set to 0.
type Header struct {
	Program
	Prefix     int64 // bytes before the magic
	Length     uint32
	FileSize   uint32 // counted from the magic
	Layout     uint32 // header version, 0 or 1
	StreamSize uint32 // without the padding of the last block
	Blocks     uint32
	Duration   time.Duration // game time without pauses
}

// unfinished reports whether the recording program ended before it completed the header.
func (h *Header) unfinished() bool { return h.Blocks == 0 || h.StreamSize == 0 }

// AppendTo appends the encoded header with its crc.
func (h *Header) AppendTo(dst []byte) []byte {
	at, u32 := len(dst), binary.LittleEndian.AppendUint32
	length := uint32(headerLen1)
	if h.Layout == 0 {
		length = headerLen0
	}
	dst = append(dst, magic...)
	for _, v := range []uint32{length, h.FileSize, h.Layout, h.StreamSize, h.Blocks} {
		dst = u32(dst, v)
	}
	if h.Layout == 0 {
		dst = binary.LittleEndian.AppendUint16(append(dst, 0, 0), uint16(h.Version))
	} else {
		tag := []byte(h.Product + "\x00\x00\x00\x00")[:4]
		dst = u32(append(dst, tag[3], tag[2], tag[1], tag[0]), uint32(h.Version))
	}
	dst = binary.LittleEndian.AppendUint16(dst, h.Build)
	dst = binary.LittleEndian.AppendUint16(dst, h.Flags)
	dst = u32(u32(dst, uint32(h.Duration.Milliseconds())), 0)
	sum := crc32.ChecksumIEEE(dst[at:])
	binary.LittleEndian.PutUint32(dst[len(dst)-4:], sum)
	return dst
}

// readHeader searches for the magic and reads the header. fault describes a defect of a header that could
// still be read.
func readHeader(r io.Reader) (h Header, fault string, err error) {
	if h.Prefix, err = findMagic(r); err != nil {
		return h, "", err
	}
	b := make([]byte, headerLen1)
	copy(b, magic)
	if err := readFull(r, b[len(magic):headerLen0]); err != nil {
		return h, "", fmt.Errorf("header: %w", err)
	}
	u32 := binary.LittleEndian.Uint32
	h.Length, h.FileSize, h.Layout, h.StreamSize, h.Blocks = u32(b[28:]), u32(b[32:]), u32(b[36:]), u32(b[40:]), u32(b[44:])
	sub := b[52:]
	switch {
	case h.Layout == 0 && h.Length == headerLen0:
		b = b[:headerLen0]
		h.Version = Version(binary.LittleEndian.Uint16(b[50:]))
	case h.Layout == 1 && h.Length == headerLen1:
		if err := readFull(r, b[headerLen0:]); err != nil {
			return h, "", fmt.Errorf("header: %w", err)
		}
		h.Product = string([]byte{b[51], b[50], b[49], b[48]})
		h.Version = Version(u32(b[52:]))
		if h.Version&0xFFFF == 0 { // the betas 305 and 305a use the older u16 0 · version u16
			h.Version >>= 16
		}
		sub = b[56:]
	default:
		return h, "", fmt.Errorf("%w: unknown header version %d with %d bytes", ErrDamaged, h.Layout, h.Length)
	}
	h.Build, h.Flags = binary.LittleEndian.Uint16(sub), binary.LittleEndian.Uint16(sub[2:])
	h.Duration = time.Duration(u32(sub[4:])) * time.Millisecond
	want := u32(sub[8:])
	copy(sub[8:12], "\x00\x00\x00\x00")
	if sum := crc32.ChecksumIEEE(b); sum != want {
		fault = fmt.Sprintf("the header's crc is %08x, its bytes give %08x", want, sum)
	}
	return h, fault, nil
}

// findMagic reads through the end of the magic and returns the number of bytes before it.
func findMagic(r io.Reader) (int64, error) {
	window := make([]byte, len(magic))
	if err := readFull(r, window); err != nil {
		return 0, fmt.Errorf("%w: shorter than a header", ErrNotReplay)
	}
	for before := int64(0); before <= maxPrefix; before++ {
		if string(window) == magic {
			return before, nil
		}
		if err := readFull(r, window[copy(window, window[1:]):]); err != nil {
			break
		}
	}
	return 0, fmt.Errorf("%w: it does not hold %q", ErrNotReplay, magic[:26])
}

// readFull is io.ReadFull but returns ErrTruncated at the end of the file.
func readFull(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	return asTruncated(err)
}
