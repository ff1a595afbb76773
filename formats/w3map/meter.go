package w3map

import (
	"errors"
	"fmt"
)

// Limits of the unpacked files of a map, in bytes: the script of a large map packs to a tenth, everything to a third. A
// sector counts as 4 KiB at least, since opening one has its price, too.
const (
	unpackFree  = 64 << 20
	unpackRatio = 16
	unpackLeast = 4 << 10
)

// ErrTooMuch says that the files of a map unpack to more than those of any real one.
var ErrTooMuch = errors.New("its files unpack to more than those of any real map")

// Meter counts the unpacked bytes of one map. Each Write is a sector.
type Meter struct{ left, limit int64 }

// NewMeter allows as much as a map of size bytes may unpack to: 64 MB and 16 bytes for each byte of the file.
func NewMeter(size int64) *Meter {
	limit := unpackFree + unpackRatio*size
	return &Meter{limit, limit}
}

// Write implements io.Writer.
func (m *Meter) Write(p []byte) (int, error) {
	m.left -= int64(max(len(p), unpackLeast))
	return len(p), m.Err()
}

// Err is an ErrTooMuch if more was written than is allowed.
func (m *Meter) Err() error {
	if m.left < 0 {
		return fmt.Errorf("%w (%d MB)", ErrTooMuch, m.limit>>20)
	}
	return nil
}
