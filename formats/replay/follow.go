package replay

import (
	"fmt"
	"io"
)

// Follow returns a source for NewReader that follows a file while a Writer is still recording it. It delivers
// only full blocks, because the last block is rewritten repeatedly. When no full block is left it calls wait,
// which may block, and tries again. wait returns false once the file is finished, so that the last block is
// delivered too. Read then returns io.EOF.
func Follow(f io.ReaderAt, wait func() bool) io.Reader { return &follower{f: f, wait: wait} }

type follower struct {
	f        io.ReaderAt
	wait     func() bool
	at       int64  // file offset of the next block
	ready    []byte // bytes for the next Read
	read     int    // blocks delivered
	full     int    // blocks that will not change any more
	wide     bool
	finished bool
}

// Read delivers the header, marked as unfinished, and then whole blocks.
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

// next fills ready and reports whether new bytes are available.
func (f *follower) next() (bool, error) {
	if f.at == 0 || f.read == f.full {
		h, fault, err := readHeader(io.NewSectionReader(f.f, 0, headerLen1))
		if fault != "" {
			err = fmt.Errorf("%w: %s", ErrDamaged, fault)
		}
		switch {
		case err != nil && f.finished:
			return false, err
		case err != nil: // the header is being rewritten
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
