package mpq

import (
	"errors"
	"fmt"
)

// Errors that callers branch on, with errors.Is. The error that is returned is an *Error around one of these, or around
// an error of the underlying reader.
var (
	// ErrNotFound says that the archive has no such file.
	ErrNotFound = errors.New("no such file in the archive")
	// ErrFormat says that the data is no MPQ archive at all.
	ErrFormat = errors.New("not an MPQ archive")
	// ErrCorrupt says that the data contradicts itself or does not decompress.
	ErrCorrupt = errors.New("corrupt data")
	// ErrTooLarge says that a file claims a size that the archive cannot hold, or one above maxFileSize.
	ErrTooLarge = errors.New("claims too large a size")
	// ErrUnsupported says that a file is packed in a way that this package does not know.
	ErrUnsupported = errors.New("unknown compression")
	// ErrSound says that a file is packed as only sounds are.
	ErrSound = errors.New("it is packed as sound, which a host does not read")
)

// Error names the part of the archive that is at fault.
type Error struct {
	Name   string // the file, or a part of the archive such as "hash table"
	Offset int64  // where that part begins in the source, in bytes; -1 if it has no place
	Err    error  // a sentence, wrapping one of the sentinels above
}

func (e *Error) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("mpq: %s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("mpq: %s (at byte %d): %v", e.Name, e.Offset, e.Err)
}

// Unwrap gives access to the sentinel.
func (e *Error) Unwrap() error { return e.Err }
