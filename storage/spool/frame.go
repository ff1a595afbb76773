// Package spool keeps records on disk until the database has them: segments
// that only grow, made of checksummed frames. It knows nothing of what the
// frames hold.
//
// Segment file, little-endian:
//
//	0   8   magic "w3hspool"
//	8   4   form of the file, 1
//	12  16  run: which life of which host wrote it
//	28  4   CRC-32C of bytes 0 … 27
//	32  …   frames
//
// Frame:
//
//	0   4   length of the payload
//	4   4   CRC-32C of the bytes from 8 on
//	8   8   sequence number, counted from 1 in each run
//	16  …   payload
package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

const (
	// FrameHeader is the size of what goes before each payload, in bytes.
	FrameHeader = 16
	// MaxPayload bounds one record: a desync dossier of a long game is far
	// below it, and a damaged length cannot ask for gigabytes.
	MaxPayload = 16 << 20
)

// ErrDamaged says that a frame does not hold what was written.
var ErrDamaged = errors.New("damaged spool frame")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Begin appends room for a frame's header; the payload follows.
func Begin(dst []byte) []byte { return append(dst, make([]byte, FrameHeader)...) }

// Finish numbers a frame begun with Begin. The checksum is left to Seal,
// which need not run where time is short.
func Finish(frame []byte, seq uint64) {
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-FrameHeader))
	binary.LittleEndian.PutUint64(frame[8:], seq)
}

// FrameSize is the size of the finished frame at the front of data.
func FrameSize(data []byte) int { return FrameHeader + int(binary.LittleEndian.Uint32(data)) }

// Sequence is the number of the finished frame at the front of data.
func Sequence(data []byte) uint64 { return binary.LittleEndian.Uint64(data[8:]) }

// Seal writes the checksum of every frame in data.
func Seal(data []byte) {
	for len(data) > 0 {
		end := FrameSize(data)
		binary.LittleEndian.PutUint32(data[4:], crc32.Checksum(data[8:end], castagnoli))
		data = data[end:]
	}
}

// Each calls visit for every frame of data, in order. It stops at a damaged
// frame with ErrDamaged, at an error of visit with that error.
func Each(data []byte, visit func(seq uint64, payload []byte) error) error {
	for at := 0; at < len(data); {
		size, err := check(data[at:])
		if err != nil {
			return fmt.Errorf("at byte %d: %w", at, err)
		}
		f := data[at : at+size]
		if err := visit(binary.LittleEndian.Uint64(f[8:]), f[FrameHeader:]); err != nil {
			return err
		}
		at += size
	}
	return nil
}

// check gives the size of the frame at the front of b.
func check(b []byte) (int, error) {
	if len(b) < FrameHeader {
		return 0, ErrDamaged
	}
	n := binary.LittleEndian.Uint32(b)
	if n > MaxPayload || int(n) > len(b)-FrameHeader {
		return 0, ErrDamaged
	}
	end := FrameHeader + int(n)
	if crc32.Checksum(b[8:end], castagnoli) != binary.LittleEndian.Uint32(b[4:]) {
		return 0, ErrDamaged
	}
	return end, nil
}
