package main

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"w3host/formats/mpq"
	"w3host/formats/w3map/builtin"
)

// Flags of a block and masks of a sector, as in the format.
const (
	exists, packed, unit         = 0x80000000, 0x00000200, 0x01000000
	byZlib, byBzip2              = 0x02, 0x10
	largestSector                = 16 << 20
	largestShift, oversizedShift = 15, 22
)

// forgedFile is a file of a forged archive: the stored data, and what the tables claim of it.
type forgedFile struct {
	name  string
	data  []byte
	size  int
	flags uint32
}

// sectors makes the data of a file: the table of its sectors and these.
func sectors(all ...[]byte) []byte {
	var table []byte
	at := (len(all) + 1) * 4
	for _, sector := range all {
		table = binary.LittleEndian.AppendUint32(table, uint32(at))
		at += len(sector)
	}
	table = binary.LittleEndian.AppendUint32(table, uint32(at))
	return append(table, bytes.Join(all, nil)...)
}

// equalSectors is a file of n times the same sector.
func equalSectors(n int, sector []byte) []byte {
	return sectors(slices.Repeat([][]byte{sector}, n)...)
}

// forgeMap writes an archive by the format's description, with the list of players of the built-in map. Files with the
// same data share it.
func forgeMap(t *testing.T, shift uint16, files ...forgedFile) []byte {
	t.Helper()
	_, real := builtin.Map()
	a, err := mpq.Open(bytes.NewReader(real), int64(len(real)))
	if err != nil {
		t.Fatal(err)
	}
	info, err := a.ReadFile("war3map.w3i")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(files[0].name, "war3map.w3i") {
		files = append(files, forgedFile{"war3map.w3i", info, len(info), exists})
	}
	const hashCount = 64
	le := binary.LittleEndian
	out := make([]byte, 32)
	hashes := bytes.Repeat([]byte{0xFF}, hashCount*16)
	var blocks []byte
	places := map[*byte]int{}
	for i, f := range files {
		at, ok := places[&f.data[0]]
		if !ok {
			at = len(out)
			places[&f.data[0]] = at
			out = append(out, f.data...)
		}
		for _, v := range []uint32{uint32(at), uint32(len(f.data)), uint32(f.size), f.flags} {
			blocks = le.AppendUint32(blocks, v)
		}
		slot := int(stormHash(f.name, 0)) % hashCount
		for le.Uint32(hashes[slot*16+12:]) != 0xFFFFFFFF {
			slot = (slot + 1) % hashCount
		}
		e := hashes[slot*16:]
		le.PutUint32(e, stormHash(f.name, 1))
		le.PutUint32(e[4:], stormHash(f.name, 2))
		le.PutUint32(e[8:], 0)
		le.PutUint32(e[12:], uint32(i))
	}
	copy(out, "MPQ\x1A\x20\x00\x00\x00")
	le.PutUint16(out[14:], shift)
	le.PutUint32(out[16:], uint32(len(out)))
	le.PutUint32(out[20:], uint32(len(out)+len(hashes)))
	le.PutUint32(out[24:], hashCount)
	le.PutUint32(out[28:], uint32(len(files)))
	stormEncrypt(hashes, stormHash("(hash table)", 3))
	stormEncrypt(blocks, stormHash("(block table)", 3))
	return append(append(out, hashes...), blocks...)
}

var stormTable = func() (table [0x500]uint32) {
	seed := uint32(0x00100001)
	half := func() uint32 {
		seed = (seed*125 + 3) % 0x2AAAAB
		return seed & 0xFFFF
	}
	for i := range 0x100 {
		for part := range 5 {
			high := half() << 16
			table[part<<8+i] = high | half()
		}
	}
	return table
}()

func stormHash(name string, kind uint32) uint32 {
	a, b := uint32(0x7FED7FED), uint32(0xEEEEEEEE)
	for _, c := range []byte(strings.ToUpper(name)) {
		a = stormTable[kind<<8+uint32(c)] ^ (a + b)
		b = uint32(c) + a + b + b<<5 + 3
	}
	return a
}

func stormEncrypt(data []byte, key uint32) {
	mix := uint32(0xEEEEEEEE)
	for ; len(data) >= 4; data = data[4:] {
		mix += stormTable[0x400+key&0xFF]
		plain := binary.LittleEndian.Uint32(data)
		binary.LittleEndian.PutUint32(data, plain^(key+mix))
		key = (^key<<21 + 0x11111111) | key>>11
		mix += plain + mix<<5 + 3
	}
}

// zippedZeros is n MiB of zeros as a zlib sector. What a MiB of them packs to behind another is the same each time, so
// that only two are packed; the sum at the end is wrong, which no reader looks at.
func zippedZeros(t *testing.T, n int) []byte {
	t.Helper()
	return zlibSector(t, func(z *zlib.Writer, b *bytes.Buffer) (err error) {
		zeros, second := make([]byte, 1<<20), 0
		for range 2 {
			second = b.Len()
			_, bad := z.Write(zeros)
			err = errors.Join(err, bad, z.Flush())
		}
		b.Write(bytes.Repeat(b.Bytes()[second:], n-2))
		return err
	})
}

// zipped is data as a zlib sector.
func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	return zlibSector(t, func(z *zlib.Writer, _ *bytes.Buffer) error { _, err := z.Write(data); return err })
}

func zlibSector(t *testing.T, fill func(z *zlib.Writer, b *bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteByte(byZlib)
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err == nil {
		err = errors.Join(fill(z, &b), z.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Sectors that bzip2 -9 made: of 16 MiB of zeros, and of 512 zeros (-1).
var (
	bzip2Zeros = sectorOf(byBzip2, "425a683931415926535952853e25008080c000c000000820003080291a0100d20100e2ee48a70a120a50a7c4a0")
	bzip2Small = sectorOf(byBzip2, "425a68313141592653591eae554d000001c000c00000082000308049ea06ae2ee48a70a1203d5caa9a")
)

func sectorOf(mask byte, data string) []byte {
	b, err := hex.DecodeString(data)
	if err != nil {
		panic(err)
	}
	return append([]byte{mask}, b...)
}
