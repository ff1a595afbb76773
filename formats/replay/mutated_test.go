package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"testing"
	"time"

	"w3host/internal/tier"
)

// changed changes a copy of a header and gives it a right crc.
func changed(data []byte, change func(header []byte)) []byte {
	data = bytes.Clone(data)
	header := data[:binary.LittleEndian.Uint32(data[28:])]
	change(header)
	sum := header[len(header)-4:]
	clear(sum)
	binary.LittleEndian.PutUint32(sum, crc32.ChecksumIEEE(header))
	return data
}

// TestRealReplaysOfOtherVersions gives real replays the versions and layouts of
// others. The records are read all the same, or an error says why not.
func TestRealReplaysOfOtherVersions(t *testing.T) {
	versions := []uint32{99, 305, 10000, 10030, 10031, 10032, 10036, 10099, 10100, 10101, 10105, 10200, 1 << 16, 1<<32 - 1}
	for v := range uint32(37) {
		versions = append(versions, v)
	}
	for _, ref := range realReplays(t) {
		t.Run(ref.File, func(t *testing.T) {
			t.Parallel()
			data := readReal(t, ref.File)
			whole := Summarise(open(t, data))
			for i, v := range versions {
				if (len(data) > 100<<10 && i%17 != 0 || i%3 != 0) && os.Getenv("W3HOST_TEST_LONG") != "1" {
					continue
				}
				for _, layout := range []uint32{0, 1} {
					checkVersion(t, whole, asVersion(data, layout, v), fmt.Sprintf("version %d, header version %d", v, layout))
				}
			}
		})
	}
}

// asVersion writes another version into the header, of the other layout if need be.
func asVersion(data []byte, layout, version uint32) []byte {
	r, err := NewReader(bytes.NewReader(data))
	if err != nil {
		return data
	}
	h, body := r.Header, data[r.Length:]
	h.FileSize -= h.Length
	h.Layout, h.Version, h.Length = layout, Version(version), headerLen1
	if layout == 0 {
		h.Length = headerLen0
	} else if h.Product == "" {
		h.Product = ProductClassic
	}
	h.FileSize += h.Length
	return append(h.AppendTo(nil), body...)
}

func checkVersion(t *testing.T, whole *Summary, data []byte, what string) {
	readAllWays(t, data)
	r, err := NewReader(bytes.NewReader(data))
	if err != nil {
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
		return
	}
	s := Summarise(r)
	if r.early() == whole.early() && (s.Turns != whole.Turns || s.Played != whole.Played || s.Commands != whole.Commands || len(s.Leaves) != len(whole.Leaves)) {
		t.Errorf("%s: %d turns, %v, %d commands, %d leaves", what, s.Turns, s.Played, s.Commands, len(s.Leaves))
	}
	if r.early() != whole.early() && len(s.Findings) == 0 {
		t.Errorf("%s: read without a fault", what)
	}
}

// TestRealReplaysWithOtherHeaders changes each field of the header: what cannot
// be true is told.
func TestRealReplaysWithOtherHeaders(t *testing.T) {
	for _, ref := range realReplays(t) {
		data := readReal(t, ref.File)
		if len(data) > tier.Pick(20<<10, 100<<10) {
			continue
		}
		length := int(binary.LittleEndian.Uint32(data[28:]))
		for at, name := range map[int]string{32: "file size", 40: "stream size", 44: "blocks", length - 8: "duration"} {
			field := binary.LittleEndian.Uint32(data[at:])
			for _, v := range []uint32{1, field / 2, field - 1, field + 1, 2 * field, 1<<32 - 1} {
				mutant := changed(data, func(h []byte) { binary.LittleEndian.PutUint32(h[at:], v) })
				readAllWays(t, mutant)
				r, err := NewReader(bytes.NewReader(mutant))
				if err != nil {
					continue
				}
				s := Summarise(r)
				if len(s.Findings) == 0 && (at != length-8 || s.Duration > s.Played || s.Played-s.Duration > time.Hour) {
					t.Errorf("%s: %s %d instead of %d: nothing is told", ref.File, name, v, field)
				}
			}
		}
	}
}
