package replay

import (
	"fmt"
	"io"
)

// Follow makes a source for NewReader of the file of a game that a Writer still records.
// Only blocks that are full are read, since the last one is written again and again.
// When there is no more, wait is called, and then it is looked again; it returns false
// when the file is finished, so that the last block is read too. Read blocks in wait.
func Follow(f io.ReaderAt, wait func() bool) io.Reader { return &follower{f: f, wait: wait} }

type follower struct {
	f        io.ReaderAt
	wait     func() bool
	at       int64  // in the file
	ready    []byte // what Read gives out next
	read     int    // blocks
	full     int    // blocks that do not change any more
	wide     bool
	finished bool
}

// Read gives out the header, as that of an unfinished file, and then whole blocks.
func (f *follower) Read(p []byte) (int, error) {
	for len(f.ready) == 0 {
		more, err := f.next()
		if err != nil {
			return 0, err
		}
		if !more {
			if f.finished {
				return 0, io.EOF
			}
			f.finished = !f.wait()
		}
	}
	n := copy(p, f.ready)
	f.ready = f.ready[n:]
	return n, nil
}

// next looks for bytes that can be read; false: nothing new.
func (f *follower) next() (bool, error) {
	if f.at == 0 || f.read == f.full {
		h, fault, err := readHeader(io.NewSectionReader(f.f, 0, headerLen1))
		if fault != "" {
			err = fmt.Errorf("%w: %s", ErrDamaged, fault)
		}
		switch {
		case err != nil && f.finished:
			return false, err
		case err != nil: // it is being written
			return false, nil
		}
		if f.full = int(h.StreamSize / blockSize); f.finished {
			f.full = int(h.Blocks)
		}
		if f.at == 0 && h.Blocks > 0 {
			f.at, f.wide = int64(h.Length), h.wide()
			h.Blocks, h.StreamSize = 0, 0
			f.ready = h.AppendTo(nil)
			return true, nil
		}
	}
	if f.at == 0 || f.read == f.full {
		return false, nil
	}
	head := make([]byte, headerLen(f.wide))
	if _, err := f.f.ReadAt(head, f.at); err != nil {
		return false, asTruncated(err)
	}
	h := parseBlockHeader(head, f.wide)
	if h.packed > maxBlock {
		return false, fmt.Errorf("%w: a block of %d bytes", ErrDamaged, h.packed)
	}
	f.ready = append(head, make([]byte, h.packed)...)
	if _, err := f.f.ReadAt(f.ready, f.at); err != nil {
		return false, asTruncated(err)
	}
	f.at += int64(len(f.ready))
	f.read++
	return true, nil
}
