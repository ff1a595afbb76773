//go:build !linux || portable || !(amd64 || arm64)

package hold

import "context"

// Serve reports that this system cannot do it.
func Serve(Options) (int, error) { return 1, ErrUnsupported }

// ServeVault reports that this system cannot do it.
func ServeVault(context.Context, string, func(string, ...any)) error { return ErrUnsupported }

// Open is nil: there is no holder.
func Open() (Shelf, error) { return nil, nil }

func (m *Memory) makeRoom(int) bool { return false }

func (m *Memory) lock() bool { return false }
