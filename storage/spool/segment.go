package spool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

const (
	magic         = "w3hspool"
	form          = 1
	segmentHeader = 32
	// rangeBytes is how much of an old segment one Range covers: a
	// transaction's worth.
	rangeBytes = 256 << 10
)

// Run names one life of one host. Sequence numbers count within a run.
type Run [16]byte

// segment is one file. Its fields belong to the Spool's mutex.
type segment struct {
	path    string
	number  uint64 // in the name: the order in which files are read back
	run     Run
	file    *os.File // open while it is written to, nil afterwards
	size    int64    // of what is known to be good
	pending int      // frames not released yet
	dirty   bool     // written to since the last sync
	closing bool     // no more appends: close the file once it is synced
}

// Range is a row of frames in one segment. The zero Range is none.
type Range struct {
	seg     *segment
	off     int64
	Bytes   int64
	First   uint64
	Last    uint64
	Records int
}

// IsZero says that the frames are on no disk.
func (r Range) IsZero() bool { return r.seg == nil }

// Run tells which run wrote the frames.
func (r Range) Run() Run { return r.seg.run }

// Join extends r by next when it follows r in the same file.
func (r *Range) Join(next Range) bool {
	if r.seg == nil || r.seg != next.seg || r.off+r.Bytes != next.off || r.Bytes+next.Bytes > rangeBytes {
		return false
	}
	r.Bytes += next.Bytes
	r.Last = next.Last
	r.Records += next.Records
	return true
}

func encodeHeader(run Run) []byte {
	b := append([]byte(magic), form, 0, 0, 0)
	b = append(b, run[:]...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func decodeHeader(b []byte) (Run, error) {
	var run Run
	if len(b) < segmentHeader || !bytes.HasPrefix(b, []byte(magic)) ||
		binary.LittleEndian.Uint32(b[28:]) != crc32.Checksum(b[:28], castagnoli) {
		return run, ErrDamaged
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != form {
		return run, fmt.Errorf("a spool of form %d, written by a newer w3host", v)
	}
	copy(run[:], b[12:])
	return run, nil
}

// scan reads a segment that an earlier life left. What follows the last good
// frame is cut: it was being written when that life ended.
func scan(path string) (seg *segment, ranges []Range, cut int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, 0, err
	}
	head := make([]byte, segmentHeader)
	if _, err := io.ReadFull(f, head); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, 0, err
	}
	seg = &segment{path: path}
	if seg.run, err = decodeHeader(head); err != nil {
		if errors.Is(err, ErrDamaged) && info.Size() <= segmentHeader {
			return seg, nil, info.Size(), nil // died while it was being made
		}
		return nil, nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	seg.size = segmentHeader
	ranges, err = scanFrames(f, seg, info.Size())
	return seg, ranges, info.Size() - seg.size, err
}

func scanFrames(f *os.File, seg *segment, end int64) (ranges []Range, err error) {
	last := uint64(0)
	buf := make([]byte, 0, 2*rangeBytes)
	for seg.size < end {
		buf = buf[:min(end-seg.size, int64(cap(buf)))]
		if _, err := f.ReadAt(buf, seg.size); err != nil {
			return nil, fmt.Errorf("read spool: %w", err)
		}
		used := 0
		for used < len(buf) {
			size, err := check(buf[used:])
			if err != nil {
				break
			}
			seq := binary.LittleEndian.Uint64(buf[used+8:])
			if seq <= last {
				break // left over from what a failed write put there
			}
			last = seq
			next := Range{seg: seg, off: seg.size + int64(used), Bytes: int64(size), First: seq, Last: seq, Records: 1}
			if len(ranges) == 0 || !ranges[len(ranges)-1].Join(next) {
				ranges = append(ranges, next)
			}
			used += size
			seg.pending++
		}
		seg.size += int64(used)
		if used > 0 {
			continue
		}
		// Nothing fits: a frame longer than the buffer, or the end of the good.
		if len(buf) < FrameHeader || seg.size+int64(len(buf)) == end {
			break
		}
		n := binary.LittleEndian.Uint32(buf)
		if n > MaxPayload || int(n)+FrameHeader <= len(buf) {
			break
		}
		buf = make([]byte, 0, FrameHeader+int(n))
	}
	return ranges, nil
}
