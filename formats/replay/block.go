package replay

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

const (
	blockSize = 8192  // size of uncompressed blocks in all known files
	maxBlock  = 65535 // largest accepted block, compressed or uncompressed
)

// blockHeader precedes each block: compressed size u16 · size u16 · header checksum u16 · data checksum u16.
// From 1.32 on the sizes are u32. A checksum is a CRC-32 folded to 16 bits; that of the header is computed
// with both checksums set to 0.
type blockHeader struct {
	packed, plain    uint32
	headSum, dataSum uint16
}

func fold(crc uint32) uint16 { return uint16(crc ^ crc>>16) }

// headerLen returns the length of a block header; wide means 32-bit sizes.
func headerLen(wide bool) int {
	if wide {
		return 12
	}
	return 8
}

// appendSizes appends the header without its checksums.
func (h blockHeader) appendSizes(dst []byte, wide bool) []byte {
	if wide {
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(dst, h.packed), h.plain)
	}
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(dst, uint16(h.packed)), uint16(h.plain))
}

// sum returns the correct value of headSum.
func (h blockHeader) sum(wide bool) uint16 {
	b := h.appendSizes(make([]byte, 0, 12), wide)
	return fold(crc32.ChecksumIEEE(append(b, 0, 0, 0, 0)))
}

// appendBlock appends a block with the given compressed data.
func appendBlock(dst, packed []byte, wide bool) []byte {
	h := blockHeader{packed: uint32(len(packed)), plain: blockSize}
	dst = h.appendSizes(dst, wide)
	dst = binary.LittleEndian.AppendUint16(dst, h.sum(wide))
	dst = binary.LittleEndian.AppendUint16(dst, fold(crc32.ChecksumIEEE(packed)))
	return append(dst, packed...)
}

func parseBlockHeader(b []byte, wide bool) (h blockHeader) {
	if wide {
		h.packed, h.plain = binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	} else {
		h.packed, h.plain = uint32(binary.LittleEndian.Uint16(b)), uint32(binary.LittleEndian.Uint16(b[2:]))
	}
	sums := b[headerLen(wide)-4:]
	h.headSum, h.dataSum = binary.LittleEndian.Uint16(sums), binary.LittleEndian.Uint16(sums[2:])
	return h
}

// blockReader decompresses the blocks of a file one at a time.
type blockReader struct {
	src   *bufio.Reader
	wide  bool
	count int   // number of blocks read
	bytes int64 // their total length in the file, including headers

	packed   []byte
	data     bytes.Reader
	inflater io.ReadCloser
}

// detect determines whether block headers are wide by checking the first one's checksum, because official
// replays have the build number 0.
func (b *blockReader) detect(p Program) {
	b.wide = p.wide()
	head, err := b.src.Peek(headerLen(!b.wide))
	if err != nil {
		return
	}
	if other := parseBlockHeader(head, !b.wide); other.headSum == other.sum(!b.wide) {
		if own, err := b.src.Peek(headerLen(b.wide)); err == nil {
			if h := parseBlockHeader(own, b.wide); h.headSum != h.sum(b.wide) {
				b.wide = !b.wide
			}
		}
	}
}

// next appends the uncompressed data of the next block to dst. It returns io.EOF if the file ends before the
// block.
func (b *blockReader) next(dst []byte) ([]byte, error) {
	var buf [12]byte
	head := buf[:headerLen(b.wide)]
	if _, err := io.ReadFull(b.src, head); err == io.EOF {
		return dst, io.EOF
	} else if err != nil {
		return dst, b.fault(asTruncated(err), "its header is truncated")
	}
	h := parseBlockHeader(head, b.wide)
	switch {
	case h.headSum != h.sum(b.wide):
		return dst, b.fault(ErrDamaged, fmt.Sprintf("header checksum is %04x, expected %04x", h.headSum, h.sum(b.wide)))
	case h.plain == 0 || h.plain > maxBlock || h.packed > maxBlock:
		return dst, b.fault(ErrDamaged, fmt.Sprintf("sizes %d and %d", h.packed, h.plain))
	}
	b.packed = append(b.packed[:0], make([]byte, h.packed)...)
	if _, err := io.ReadFull(b.src, b.packed); err != nil {
		return dst, b.fault(asTruncated(err), "its data is truncated")
	}
	if sum := fold(crc32.ChecksumIEEE(b.packed)); sum != h.dataSum {
		return dst, b.fault(ErrDamaged, fmt.Sprintf("data checksum is %04x, expected %04x", h.dataSum, sum))
	}
	from := len(dst)
	dst = append(dst, make([]byte, h.plain)...)
	if err := b.inflate(dst[from:]); err != nil {
		return dst[:from], b.fault(ErrDamaged, err.Error())
	}
	b.count++
	b.bytes += int64(len(head)) + int64(h.packed)
	return dst, nil
}

// inflate fills dst from the zlib stream in b.packed. The stream usually ends with a sync flush, without a
// final block and checksum; the block's own checksums replace them.
func (b *blockReader) inflate(dst []byte) error {
	p := b.packed
	if len(p) < 2 || p[0]&0x0F != 8 || p[0]>>4 > 7 || (uint(p[0])<<8|uint(p[1]))%31 != 0 || p[1]&0x20 != 0 {
		return errors.New("its data is not a zlib stream")
	}
	b.data.Reset(p[2:])
	if b.inflater == nil {
		b.inflater = flate.NewReader(&b.data)
	} else if err := b.inflater.(flate.Resetter).Reset(&b.data, nil); err != nil {
		return err
	}
	if n, err := io.ReadFull(b.inflater, dst); err != nil {
		return fmt.Errorf("it inflates to %d bytes, not %d", n, len(dst))
	}
	var more [1]byte
	if n, _ := b.inflater.Read(more[:]); n > 0 {
		return fmt.Errorf("it inflates to more than %d bytes", len(dst))
	}
	return nil
}

func (b *blockReader) fault(err error, text string) error {
	return fmt.Errorf("%w: block %d: %s", err, b.count+1, text)
}

func asTruncated(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return ErrTruncated
	}
	return err
}
