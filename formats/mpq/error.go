package mpq

import (
	"errors"
	"fmt"
)

// Causes of errors, which callers can test for with errors.Is. Functions of this package return an *Error that
// wraps one of these causes or an error of the underlying reader.
var (
	// ErrNotFound means that the archive has no such file.
	ErrNotFound = errors.New("no such file in the archive")
	// ErrFormat means that the data is not an MPQ archive.
	ErrFormat = errors.New("not an MPQ archive")
	// ErrCorrupt means that the data is inconsistent or does not decompress.
	ErrCorrupt = errors.New("corrupt data")
	// ErrTooLarge means that the declared size of a file is more than the archive can hold, or more than maxFileSize.
	ErrTooLarge = errors.New("claims too large a size")
	// ErrUnsupported means that a file uses an unknown compression method or unknown flags.
	ErrUnsupported = errors.New("unknown compression")
	// ErrSound means that a file is compressed with a method for sounds, which this package does not implement.
	ErrSound = errors.New("the file is compressed as sound, which is not supported")
)

// Error is an error together with the part of the archive in which it occurred.
type Error struct {
	Name   string // file name, or a part of the archive such as "hash table"
	Offset int64  // byte offset of that part in the source; -1 if unknown
	Err    error  // wraps one of the errors above or a read error
}

func (e *Error) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("mpq: %s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("mpq: %s (at byte %d): %v", e.Name, e.Offset, e.Err)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }
