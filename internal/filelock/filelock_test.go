package filelock_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"w3host/internal/filelock"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	held, err := filelock.Try(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filelock.Try(path); !errors.Is(err, filelock.ErrHeld) {
		t.Fatalf("second holder: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := filelock.Wait(ctx, path); !errors.Is(err, filelock.ErrHeld) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("wait with a holder: %v", err)
	}
	got := make(chan error, 1)
	go func() {
		l, err := filelock.Wait(t.Context(), path)
		if err == nil {
			err = l.Unlock()
		}
		got <- err
	}()
	if err := held.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}
