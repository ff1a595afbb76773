package replay

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// put appends to the stream and writes full blocks to the file.
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

// flush writes the incomplete last block, uncompressed, and a matching header.
func (w *Writer) flush() {
	w.ahead, w.dirty = false, w.time
	plain := scratch.Get().(*[]byte)
	*plain = stored((*plain)[:0], w.block)
	w.tail(*plain)
	scratch.Put(plain)
}

// finish writes the last block compressed, and truncates the file to its final size.
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

// writeBlock writes a block after the complete ones and returns its length in the file.
func (w *Writer) writeBlock(packed []byte) int64 {
	out := scratch.Get().(*[]byte)
	defer scratch.Put(out)
	*out = appendBlock((*out)[:0], packed, w.header.wide())
	w.write(*out, w.at)
	return int64(len(*out))
}

// scratch holds block buffers shared by all writers.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

func (w *Writer) write(b []byte, at int64) {
	if w.err == nil {
		_, w.err = w.f.WriteAt(b, at)
	}
}

// compressors are shared by all writers, because one takes more memory than a game. They use the fastest
// level; for such small blocks, the others spend most of their time clearing tables.
var compressors = sync.Pool{New: func() any {
	z, _ := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed) // cannot fail for a valid level
	return z
}}

// compress returns a zlib stream that ends with a sync flush, as the game writes it.
func compress(block []byte) []byte {
	z := compressors.Get().(*zlib.Writer)
	defer compressors.Put(z)
	var out bytes.Buffer
	z.Reset(&out)
	z.Write(block) // writing to memory cannot fail
	z.Flush()
	return out.Bytes()
}

// stored appends a zlib stream of the padded, uncompressed block. It is cheap enough to repeat.
func stored(dst, block []byte) []byte {
	const low, high = blockSize & 0xFF, blockSize >> 8
	dst = append(dst, 0x78, 0x01, 0x00, low, high, ^byte(low), ^byte(high))
	dst = append(dst, block...)
	dst = append(dst, zeros[len(block):]...)
	return append(dst, 0x00, 0x00, 0x00, 0xFF, 0xFF) // sync flush marker
}

var zeros [blockSize]byte
