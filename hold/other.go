//go:build !linux || portable || !(amd64 || arm64)

package hold

import "context"

// Serve returns ErrUnsupported on this system.
func Serve(Options) (int, error) { return 1, ErrUnsupported }

// ServeFDStore returns ErrUnsupported on this system.
func ServeFDStore(context.Context, string, func(string, ...any)) error { return ErrUnsupported }

// Open returns nil: on this system there is no supervisor.
func Open() (Client, error) { return nil, nil }

func (m *Memory) makeRoom(int) bool { return false }

func (m *Memory) lock() bool { return false }
