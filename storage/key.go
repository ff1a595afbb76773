package storage

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// GameKey names one game in every table, on every host. The host makes it when
// the lobby opens, so that a record means the same game however often it is
// replayed. It is a UUID version 7: keys sort by the time they were made.
type GameKey struct{ uuid.UUID }

// NewGameKey makes a key that no other game has, and that sorts after all that
// this process made before.
func NewGameKey() GameKey {
	return GameKey{uuid.Must(uuid.NewV7())} // fails only without random numbers, where Go ends the program first
}

// NewGameKeyAt makes the key of a game that was opened at that time.
func NewGameKeyAt(at time.Time) GameKey {
	k, since := NewGameKey(), oldestKey(at)
	copy(k.UUID[:6], since.UUID[:6])
	return k
}

// Time is when the key was made, to the millisecond.
func (k GameKey) Time() time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(k.UUID[:8]) >> 16))
}

// oldestKey sorts before all keys that are made from then on.
func oldestKey(at time.Time) (k GameKey) {
	binary.BigEndian.PutUint64(k.UUID[:], uint64(max(at.UnixMilli(), 1))<<16)
	return k
}

// ParseGameKey reads the text form of a key.
func ParseGameKey(text string) (GameKey, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 { // uuid.Parse takes other forms as well
		return GameKey{}, fmt.Errorf("game key %q: a game key looks like 0190163d-8694-739b-aea5-966c26f8ad91", text)
	}
	return GameKey{id}, nil
}

// IsZero says that no game is meant.
func (k GameKey) IsZero() bool { return k == GameKey{} }

// Value hands the key to a database as text; no key is NULL.
func (k GameKey) Value() (driver.Value, error) {
	if k.IsZero() {
		return nil, nil
	}
	return k.String(), nil
}
