package mpq

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// forged is an archive whose parts a test falsifies. The tables are plain until bytes is called.
type forged struct {
	data           []byte
	base           int
	hashes, blocks table
}

var script = bytes.Repeat([]byte("function main takes nothing returns nothing\r\n"), 400)

// forge makes an archive behind a prefix: the script as war3map.j, encrypted, and a second file to lead astray.
func forge(t testing.TB, prefix int, opts AddOptions) *forged {
	t.Helper()
	w := NewWriter(make([]byte, prefix))
	w.unlisted = true
	add(t, w, "war3map.j", script, opts)
	add(t, w, "decoy", []byte("not the script"), AddOptions{Store: true})
	return split(write(t, w), prefix)
}

// split takes an archive apart at its tables, which must stand at its end.
func split(archive []byte, base int) *forged {
	f := &forged{data: archive, base: base}
	h := f.header()
	hash, block := f.base+int(h.u32(16)), f.base+int(h.u32(20))
	f.hashes = table(bytes.Clone(f.data[hash:block]))
	f.blocks = table(bytes.Clone(f.data[block:]))
	decrypt(f.hashes, hashTableKey)
	decrypt(f.blocks, blockTableKey)
	f.data = f.data[:hash]
	return f
}

type bytesAt []byte

func (b bytesAt) u32(at int) uint32        { return binary.LittleEndian.Uint32(b[at:]) }
func (b bytesAt) put32(at int, v uint32)   { binary.LittleEndian.PutUint32(b[at:], v) }
func (b bytesAt) put16(at int, v uint16)   { binary.LittleEndian.PutUint16(b[at:], v) }
func (f *forged) header() bytesAt          { return bytesAt(f.data[f.base:]) }
func (f *forged) block(i int) bytesAt      { return bytesAt(f.blocks[i*entrySize:]) }
func (f *forged) entry(i int) bytesAt      { return bytesAt(f.hashes[i*entrySize:]) }
func (f *forged) fileData(i int) bytesAt   { return bytesAt(f.data[f.base+int(f.block(i).u32(0)):]) }
func (f *forged) setCounts(h, b uint32)    { f.header().put32(24, h); f.header().put32(28, b) }
func (f *forged) setVersion(v uint16)      { f.header().put16(12, v) }
func (f *forged) setFlags(i int, v uint32) { f.block(i).put32(12, v) }

// slot finds the hash entry of a name.
func (f *forged) slot(name string) int {
	for i := range f.hashes.len() {
		if e := f.hashes.hash(i); e.nameChecks == checksOf(name) && e.block != blockFree {
			return i
		}
	}
	panic("no hash entry of " + name)
}

// bytes encrypts the tables and puts them at the end.
func (f *forged) bytes() []byte {
	f.header().put32(16, uint32(len(f.data)-f.base))
	f.header().put32(20, uint32(len(f.data)-f.base+len(f.hashes)))
	encrypt(f.hashes, hashTableKey)
	encrypt(f.blocks, blockTableKey)
	return append(append(f.data, f.hashes...), f.blocks...)
}
