package replay

import (
	"bytes"
	"compress/zlib"
	"io"
	"sync"
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
			w.out = appendBlock(w.out[:0], compress(w.block), w.header.wide())
			w.write(w.out, w.at)
			w.at += int64(len(w.out))
			w.header.Blocks++
			w.block = w.block[:0]
		}
	}
	if w.live && w.header.Blocks > blocks {
		w.flush()
	}
}

// flush writes the last block as it is, and the header for it.
func (w *Writer) flush() {
	w.ahead, w.dirty = false, w.time
	w.tail(w.stored(w.block))
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
		w.out = appendBlock(w.out[:0], packed, h.wide())
		w.write(w.out, w.at)
		h.FileSize += uint32(len(w.out))
		h.Blocks++
	}
	w.header.FileSize = h.FileSize
	w.top = h.AppendTo(w.top[:0])
	w.write(w.top, 0)
}

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

// stored makes a whole zlib stream of a block, padded and not compressed: cheap
// enough to write again and again. The result is valid until the next call.
func (w *Writer) stored(block []byte) []byte {
	const low, high = blockSize & 0xFF, blockSize >> 8
	w.plain = append(w.plain[:0], 0x78, 0x01, 0x00, low, high, ^byte(low), ^byte(high))
	w.plain = append(w.plain, block...)
	w.plain = append(w.plain, zeros[len(block):]...)
	return append(w.plain, 0x00, 0x00, 0x00, 0xFF, 0xFF) // the mark of a sync flush
}

var zeros [blockSize]byte
