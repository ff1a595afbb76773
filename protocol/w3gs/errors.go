package w3gs

import (
	"errors"
	"fmt"
)

// Reasons for a DecodeError; test for them with errors.Is.
var (
	ErrMagic        = errors.New("first byte is not 0xF7")
	ErrLength       = errors.New("length field does not match the bytes")
	ErrTooLong      = errors.New("longer than allowed")
	ErrShort        = errors.New("ends too early")
	ErrTrailing     = errors.New("bytes left over")
	ErrUnterminated = errors.New("string without its terminating NUL")
	ErrCount        = errors.New("count exceeds the remaining bytes")
	ErrChecksum     = errors.New("checksum does not match the data")
	ErrValue        = errors.New("value out of range")
	ErrUnknownOp    = errors.New("unknown opcode for this direction")
)

// DecodeError reports which packet failed to decode, at which payload offset, and why. Negative offsets are
// in the header: -4 is its first byte.
type DecodeError struct {
	Op     Op
	Offset int
	Err    error
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("decode %v at byte %d: %v", e.Op, e.Offset, e.Err)
}

func (e *DecodeError) Unwrap() error { return e.Err }
