// Package filelock holds a file for one process at a time. The lock goes with
// the process, however it ends.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrHeld says that another process, or another place in this one, has it.
var ErrHeld = errors.New("locked by another process")

// poll is how often Wait looks again; the calls block nobody in between.
const poll = 50 * time.Millisecond

// Lock is a held lock file.
type Lock struct{ file *os.File }

// Try takes the lock at once or returns ErrHeld.
func Try(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &Lock{f}, nil
}

// Wait takes the lock, waiting for its holder as long as ctx lasts.
func Wait(ctx context.Context, path string) (*Lock, error) {
	for {
		l, err := Try(path)
		if !errors.Is(err, ErrHeld) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		case <-time.After(poll):
		}
	}
}

// Unlock gives the lock back. The file stays: removing it would let two
// processes hold two files of one name.
func (l *Lock) Unlock() error { return l.file.Close() }
