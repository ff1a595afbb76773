package w3gs

import (
	"encoding/binary"
	"fmt"
)

// Frame is one complete packet: magic u8 · opcode u8 · length u16 · payload.
type Frame []byte

// Op returns the opcode.
func (f Frame) Op() Op { return Op(f[1]) }

// Body returns the payload, which aliases the frame.
func (f Frame) Body() []byte { return f[HeaderSize:] }

// Next splits the first packet off buf without copying. It returns a nil frame and no error while the packet
// is incomplete. It returns an error as soon as the header shows a wrong magic byte, a length below
// HeaderSize or a length above max.
func Next(buf []byte, max int) (f Frame, rest []byte, err error) {
	if len(buf) == 0 {
		return nil, buf, nil
	}
	if buf[0] != Magic {
		return nil, buf, &DecodeError{Offset: -HeaderSize, Err: fmt.Errorf("%w: 0x%02X", ErrMagic, buf[0])}
	}
	if len(buf) < HeaderSize {
		return nil, buf, nil
	}
	n := int(binary.LittleEndian.Uint16(buf[2:]))
	switch {
	case n < HeaderSize:
		return nil, buf, &DecodeError{Op: Op(buf[1]), Offset: -2, Err: fmt.Errorf("%w: %d is less than the header", ErrLength, n)}
	case n > max:
		return nil, buf, &DecodeError{Op: Op(buf[1]), Offset: -2, Err: fmt.Errorf("%w: %d bytes, %d at most", ErrTooLong, n, max)}
	case len(buf) < n:
		return nil, buf, nil
	}
	return Frame(buf[:n:n]), buf[n:], nil
}

// ParseDatagram reads a LAN datagram, which must hold exactly one packet. The frame aliases b.
func ParseDatagram(b []byte) (Frame, error) {
	f, rest, err := Next(b, MaxFrame)
	switch {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, &DecodeError{Offset: len(b) - HeaderSize, Err: ErrShort}
	case len(rest) > 0:
		return nil, &DecodeError{Op: f.Op(), Offset: len(f) - HeaderSize, Err: ErrTrailing}
	}
	return f, nil
}
