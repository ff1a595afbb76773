package mpq

import (
	"errors"
	"fmt"
)

// Errors to test for with errors.Is. Functions return them, or an error of the underlying reader, wrapped in
// an *Error.
var (
	// ErrNotFound means that the archive has no such file.
	ErrNotFound = errors.New("no such file in the archive")
	// ErrFormat means that the data is not an MPQ archive.
	ErrFormat = errors.New("not an MPQ archive")
	// ErrCorrupt means that the data is inconsistent or does not decompress.
	ErrCorrupt = errors.New("corrupt data")
	// ErrTooLarge means that a file claims more data than the archive can hold, or exceeds maxFileSize.
	ErrTooLarge = errors.New("claims too large a size")
	// ErrUnsupported means that the compression method is unknown.
	ErrUnsupported = errors.New("unknown compression")
	// ErrSound means that a file is compressed with a method for sounds.
	ErrSound = errors.New("the file is compressed as sound, which is not supported")
)

// Error names the part of the archive that caused an error.
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
