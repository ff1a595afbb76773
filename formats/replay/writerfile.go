package replay

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// put appends to the stream and writes blocks that are full.
func (w *Writer) put(b []byte) {
	w.header.StreamSize += uint32(len(b))
	w.ahead = w.ahead || len(b) > 0
	blocks := w.header.Blocks
	for len(b) > 0 && w.err == nil {
		n := min(len(b), blockSize-len(w.block))
		w.block, b = append(w.block, b[:n]...), b[n:]
		if len(w.block) == blockSize {
			w.at += w.writeBlock(compress(w.block))
			w.header.Blocks++
			w.block = w.block[:0]
		}
	}
	if w.live && w.header.Blocks > blocks {
		w.flush()
	}
}

// flush writes the last block, however full, and the header for it.
func (w *Writer) flush() {
	w.ahead, w.dirty = false, w.time
	plain := scratch.Get().(*[]byte)
	*plain = stored((*plain)[:0], w.block)
	w.tail(*plain)
	scratch.Put(plain)
}

// finish is flush with the last block compressed.
func (w *Writer) finish() {
	w.tail(compress(append(w.block, zeros[len(w.block):]...)))
	if t, ok := w.f.(interface{ Truncate(int64) error }); ok && w.err == nil {
		w.err = t.Truncate(int64(w.header.FileSize))
	}
}

func (w *Writer) tail(packed []byte) {
	h := w.header
	h.FileSize, h.Duration = uint32(w.at), w.time
	if len(w.held) > 0 {
		h.Duration = w.written
	}
	if len(w.block) > 0 {
		h.FileSize += uint32(w.writeBlock(packed))
		h.Blocks++
	}
	w.header.FileSize = h.FileSize
	w.write(h.AppendTo(make([]byte, 0, headerLen1)), 0)
}

// writeBlock returns how many bytes a block takes in the file, where it goes
// behind those that are complete.
func (w *Writer) writeBlock(packed []byte) int64 {
	out := scratch.Get().(*[]byte)
	defer scratch.Put(out)
	*out = appendBlock((*out)[:0], packed, w.header.wide())
	w.write(*out, w.at)
	return int64(len(*out))
}

// scratch buffers hold a block while it is written, and are shared by all writers.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

func (w *Writer) write(b []byte, at int64) {
	if w.err == nil {
		_, w.err = w.f.WriteAt(b, at)
	}
}

// compressors are shared by all writers: one takes more memory than a game. They
// are the fast ones: for so small blocks the others spend most of their time on
// clearing tables.
var compressors = sync.Pool{New: func() any {
	z, _ := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed) // a level that exists
	return z
}}

// compress makes a zlib stream that ends in a sync flush, as the game does.
func compress(block []byte) []byte {
	z := compressors.Get().(*zlib.Writer)
	defer compressors.Put(z)
	var out bytes.Buffer
	z.Reset(&out)
	z.Write(block) // to memory: it cannot fail
	z.Flush()
	return out.Bytes()
}

// stored appends a whole zlib stream of a block, padded and not compressed: cheap
// enough to write again and again.
func stored(dst, block []byte) []byte {
	const low, high = blockSize & 0xFF, blockSize >> 8
	dst = append(dst, 0x78, 0x01, 0x00, low, high, ^byte(low), ^byte(high))
	dst = append(dst, block...)
	dst = append(dst, zeros[len(block):]...)
	return append(dst, 0x00, 0x00, 0x00, 0xFF, 0xFF) // the mark of a sync flush
}

var zeros [blockSize]byte
