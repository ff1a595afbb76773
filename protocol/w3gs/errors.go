package w3gs

import (
	"errors"
	"fmt"
)

// Faults of bytes. Test with errors.Is.
var (
	ErrMagic        = errors.New("first byte is not 0xF7")
	ErrLength       = errors.New("length field does not match the bytes")
	ErrTooLong      = errors.New("longer than allowed")
	ErrShort        = errors.New("ends too early")
	ErrTrailing     = errors.New("bytes left over")
	ErrUnterminated = errors.New("string without its terminating NUL")
	ErrCount        = errors.New("count does not fit the bytes that remain")
	ErrChecksum     = errors.New("checksum does not match the data")
	ErrValue        = errors.New("value out of range")
	ErrUnknownOp    = errors.New("opcode is not one this side may send")
)

// DecodeError says which packet failed, at which byte of its payload, and why.
// A negative offset lies in the header, whose four bytes end at 0.
type DecodeError struct {
	Op     Op
	Offset int
	Err    error
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("decode %v at byte %d: %v", e.Op, e.Offset, e.Err)
}

func (e *DecodeError) Unwrap() error { return e.Err }
