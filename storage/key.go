package storage

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// GameKey identifies a game in every table, across all hosts. The host creates it when the lobby opens, so
// that a record refers to the same game however often it is replayed. It is a UUID version 7: keys sort by
// creation time.
type GameKey struct{ uuid.UUID }

// NewGameKey returns a unique key that sorts after all earlier keys of this process.
func NewGameKey() GameKey {
	return GameKey{uuid.Must(uuid.NewV7())} // fails only without a source of random numbers, in which case Go ends the program first
}

// NewGameKeyAt returns a new key with the given time.
func NewGameKeyAt(at time.Time) GameKey {
	k, since := NewGameKey(), oldestKey(at)
	copy(k.UUID[:6], since.UUID[:6])
	return k
}

// Time returns when the key was created, in milliseconds.
func (k GameKey) Time() time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(k.UUID[:8]) >> 16))
}

// oldestKey returns a key that sorts before all keys created at the given time or later.
func oldestKey(at time.Time) (k GameKey) {
	binary.BigEndian.PutUint64(k.UUID[:], uint64(max(at.UnixMilli(), 1))<<16)
	return k
}

// ParseGameKey parses the text form of a key.
func ParseGameKey(text string) (GameKey, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 { // uuid.Parse also accepts other forms
		return GameKey{}, fmt.Errorf("game key %q: a game key looks like 0190163d-8694-739b-aea5-966c26f8ad91", text)
	}
	return GameKey{id}, nil
}

// IsZero reports whether the key is unset.
func (k GameKey) IsZero() bool { return k == GameKey{} }

// Value implements driver.Valuer: the key as text, or NULL if unset.
func (k GameKey) Value() (driver.Value, error) {
	if k.IsZero() {
		return nil, nil
	}
	return k.String(), nil
}
