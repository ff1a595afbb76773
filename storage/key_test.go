package storage_test

import (
	"testing"
	"time"

	"w3host/storage"
)

// Lists of games go by the key: one that is made later sorts later, also within
// a microsecond.
func TestKeysSort(t *testing.T) {
	last := storage.NewGameKey().String()
	for range 10_000 {
		k := storage.NewGameKey()
		if k.String() <= last {
			t.Fatalf("%s comes after %s", k, last)
		}
		last = k.String()
	}
	at := time.Date(2026, 11, 20, 14, 5, 6, 123_000_000, time.UTC)
	if got := storage.NewGameKeyAt(at).Time(); !got.Equal(at) {
		t.Errorf("made at %v, want %v", got, at)
	}
}
