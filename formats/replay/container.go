package replay

import (
	"bufio"
	"errors"
	"io"
	"slices"
)

// Saved games (.w3z) use the same header and blocks as replays, but contain a different stream and have no
// Multiplayer flag.

// ReadHead reads the header of a replay or saved game and the first bytes of its Stream, at most limit. The
// error explains why fewer bytes are available than the header promises, or what is wrong with a header that
// could still be read.
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

// Pack returns a complete file for a header and a stream in memory. It fills in the header's sizes.
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

// openStream reads the header and returns a Stream for the blocks. fault describes a defect of a header that
// could still be read.
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
