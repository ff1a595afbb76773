package w3map

import (
	"errors"
	"fmt"
)

// Limits for the unpacked size of a map, in bytes. Scripts of large maps compress to a tenth, whole maps to a
// third. Each sector counts as at least unpackLeast, because opening one has a cost too.
const (
	unpackFree  = 64 << 20
	unpackRatio = 16
	unpackLeast = 4 << 10
)

// ErrTooMuch reports a map that unpacks to more data than any real map.
var ErrTooMuch = errors.New("its files unpack to more than those of any real map")

// Meter limits the unpacked bytes of one map; each Write counts one sector.
type Meter struct{ left, limit int64 }

// NewMeter returns a meter for a map file of size bytes. It allows 64 MB plus 16 bytes for each byte of the
// file.
func NewMeter(size int64) *Meter {
	limit := unpackFree + unpackRatio*size
	return &Meter{limit, limit}
}

// Write counts p and returns an error once the limit is exceeded.
func (m *Meter) Write(p []byte) (int, error) {
	m.left -= int64(max(len(p), unpackLeast))
	return len(p), m.Err()
}

// Err returns an error wrapping ErrTooMuch if the limit is exceeded.
func (m *Meter) Err() error {
	if m.left < 0 {
		return fmt.Errorf("%w (%d MB)", ErrTooMuch, m.limit>>20)
	}
	return nil
}
