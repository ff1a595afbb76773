package storage

import (
	"crypto/rand"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// GameKey names one game in every table, on every host. The host makes it when
// the lobby opens, so that a record means the same game however often it is
// replayed. It is a UUID version 7: keys sort by the time they were made.
type GameKey [16]byte

var errKeyForm = errors.New("a game key looks like 0190163d-8694-739b-aea5-966c26f8ad91")

// keyStep is what makes the time in a key another one: 1/4096 ms, rounded up.
const keyStep = 245 * time.Nanosecond

// lastKey is the time in the latest key, in nanoseconds since 1970.
var lastKey atomic.Int64

// NewGameKey makes a key that no other game has, and that sorts after all that
// this process made before.
func NewGameKey() GameKey {
	for {
		last := lastKey.Load()
		now := max(time.Now().UnixNano(), last+int64(keyStep))
		if lastKey.CompareAndSwap(last, now) {
			return newUUID(time.Unix(0, now))
		}
	}
}

// NewGameKeyAt makes the key of a game that was opened at that time.
func NewGameKeyAt(at time.Time) GameKey { return newUUID(at) }

// Time is when the key was made, to the millisecond.
func (k GameKey) Time() time.Time {
	var ms [8]byte
	copy(ms[2:], k[:6])
	return time.UnixMilli(int64(binary.BigEndian.Uint64(ms[:])))
}

// oldestKey sorts before all keys that are made from then on.
func oldestKey(at time.Time) (k GameKey) {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(at.UnixMilli(), 1)))
	copy(k[:6], ms[2:])
	return k
}

// ParseGameKey reads the text form of a key.
func ParseGameKey(text string) (GameKey, error) {
	var k GameKey
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return k, fmt.Errorf("game key %q: %w", text, errKeyForm)
	}
	plain := text[:8] + text[9:13] + text[14:18] + text[19:23] + text[24:]
	if _, err := hex.Decode(k[:], []byte(plain)); err != nil {
		return GameKey{}, fmt.Errorf("game key %q: %w", text, errKeyForm)
	}
	return k, nil
}

// String gives the usual UUID text, which is also what the databases hold.
func (k GameKey) String() string {
	var b [36]byte
	hex.Encode(b[:8], k[:4])
	hex.Encode(b[9:13], k[4:6])
	hex.Encode(b[14:18], k[6:8])
	hex.Encode(b[19:23], k[8:10])
	hex.Encode(b[24:], k[10:])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

// IsZero says that no game is meant.
func (k GameKey) IsZero() bool { return k == GameKey{} }

// MarshalText makes keys readable in JSON.
func (k GameKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (k *GameKey) UnmarshalText(text []byte) error {
	key, err := ParseGameKey(string(text))
	if err != nil {
		return err
	}
	*k = key
	return nil
}

// Value hands the key to a database as text.
func (k GameKey) Value() (driver.Value, error) {
	if k.IsZero() {
		return nil, nil
	}
	return k.String(), nil
}

// Scan reads a key from a database; NULL is the zero key.
func (k *GameKey) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*k = GameKey{}
		return nil
	case string:
		return k.UnmarshalText([]byte(v))
	case []byte:
		return k.UnmarshalText(v)
	case [16]byte:
		*k = v
		return nil
	}
	return fmt.Errorf("game key from %T: %w", src, errKeyForm)
}

func newUUID(now time.Time) (id [16]byte) {
	rand.Read(id[8:]) //nolint:errcheck // crypto/rand.Read never fails since Go 1.24
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(id[:6], ms[2:])
	// The fraction of the millisecond in 12 bits (RFC 9562, 6.2, method 3): keys
	// made in one millisecond sort as well.
	fraction := uint16(now.Nanosecond() % 1e6 * 4096 / 1e6)
	binary.BigEndian.PutUint16(id[6:], fraction)
	id[6] = id[6]&0x0F | 0x70
	id[8] = id[8]&0x3F | 0x80
	return id
}
