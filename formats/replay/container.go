package replay

import (
	"bufio"
	"errors"
	"io"
	"slices"
)

// Saved games (.w3z) have the header and the blocks of replays, but another stream, and no
// Multiplayer among their flags.

// ReadHead reads the header of a file and the first bytes of its Stream, at most limit. The
// error says why there are fewer than the header promises, or what is wrong with the header
// although it can be read.
func ReadHead(src io.Reader, limit int) (Header, []byte, error) {
	r := bufio.NewReaderSize(src, 1<<16)
	h, s, fault, err := openStream(r)
	if err != nil {
		return h, nil, err
	}
	if fault != "" {
		err = errors.New(fault)
	}
	if !s.have(limit) && s.done != io.EOF {
		err = errors.Join(err, s.done)
	}
	return h, s.buf[:min(limit, len(s.buf))], err
}

// Pack makes a file of a stream in memory.
func Pack(h Header, stream []byte) []byte {
	h.Length, h.Layout, h.StreamSize = headerLen1, 1, uint32(len(stream))
	var blocks []byte
	h.Blocks = 0
	for part := range slices.Chunk(stream, blockSize) {
		blocks = appendBlock(blocks, compress(slices.Concat(part, zeros[len(part):])), h.wide())
		h.Blocks++
	}
	h.FileSize = h.Length + uint32(len(blocks))
	return append(h.AppendTo(nil), blocks...)
}

// openStream reads the header, and prepares to read the blocks; fault is an error in
// a header that can be read.
func openStream(src *bufio.Reader) (h Header, s Stream, fault string, err error) {
	if h, fault, err = readHeader(src); err != nil {
		return h, s, "", err
	}
	blocks := &blockReader{src: src}
	blocks.detect(h.Program)
	s = Stream{blocks: blocks, want: h.Blocks, limit: int64(h.StreamSize)}
	if h.unfinished() {
		s.want, s.limit = 0, 0
	}
	return h, s, fault, nil
}
