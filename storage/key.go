package storage

import (
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// GameKey names one game in every table, on every host. The host makes it when
// the lobby opens, so that a record means the same game however often it is
// replayed. It is a UUID version 7: keys sort by the time they were made.
type GameKey uuid.UUID

var errKeyForm = errors.New("a game key looks like 0190163d-8694-739b-aea5-966c26f8ad91")

// NewGameKey makes a key that no other game has, and that sorts after all that
// this process made before.
func NewGameKey() GameKey {
	return GameKey(uuid.Must(uuid.NewV7())) // fails only without random numbers, where Go ends the program first
}

// NewGameKeyAt makes the key of a game that was opened at that time.
func NewGameKeyAt(at time.Time) GameKey {
	k, since := NewGameKey(), oldestKey(at)
	copy(k[:6], since[:6])
	return k
}

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
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 { // uuid.Parse takes other forms as well
		return GameKey{}, fmt.Errorf("game key %q: %w", text, errKeyForm)
	}
	return GameKey(id), nil
}

// String gives the usual UUID text, which is also what the databases hold.
func (k GameKey) String() string { return uuid.UUID(k).String() }

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
