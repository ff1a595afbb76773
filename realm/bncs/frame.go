package bncs

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

const (
	// ProtocolGame is the single byte that a client sends before its first frame.
	ProtocolGame = 0x01
	// magic is the first byte of every frame.
	magic = 0xFF
	// headerSize is the size of the header: magic u8 · id u8 · length u16, which includes the header.
	headerSize = 4
	// MaxFrame is the maximum frame length that a PvPGN server accepts or sends.
	MaxFrame = 3072
)

// Errors of invalid input.
var (
	errMagic        = errors.New("frame does not begin with 0xFF")
	errLength       = errors.New("invalid length")
	errShort        = errors.New("packet ends too early")
	errUnterminated = errors.New("unterminated string")
	errCount        = errors.New("invalid count")
)

// ID identifies the kind of a frame, together with its direction.
type ID byte

// The frame ids.
const (
	IDNull        ID = 0x00
	IDStopAdvert  ID = 0x02
	IDListGames   ID = 0x09
	IDEnterChat   ID = 0x0A
	IDJoinChannel ID = 0x0C
	IDChat        ID = 0x0E
	IDChatEvent   ID = 0x0F
	IDAdvertise   ID = 0x1C
	IDLeaveGame   ID = 0x1F
	IDNotifyJoin  ID = 0x22
	IDPing        ID = 0x25
	IDCreate      ID = 0x3D
	IDGamePort    ID = 0x45
	IDAuthInfo    ID = 0x50
	IDAuthCheck   ID = 0x51
	IDLogon       ID = 0x53
	IDProof       ID = 0x54
)

func (id ID) String() string { return fmt.Sprintf("0x%02X", byte(id)) }

// Frame is one complete frame.
type Frame []byte

// ID returns the frame's id.
func (f Frame) ID() ID { return ID(f[1]) }

// Body returns the bytes after the header; they alias the frame.
func (f Frame) Body() []byte { return f[headerSize:] }

// Next returns the first frame in buf, without copying, and the remaining bytes. It returns a nil frame without an error
// if the frame is incomplete.
func Next(buf []byte) (f Frame, rest []byte, err error) {
	if len(buf) > 0 && buf[0] != magic {
		return nil, buf, fmt.Errorf("%w: 0x%02X", errMagic, buf[0])
	}
	if len(buf) < headerSize {
		return nil, buf, nil
	}
	n := int(binary.LittleEndian.Uint16(buf[2:]))
	if n < headerSize || n > MaxFrame {
		return nil, buf, fmt.Errorf("frame %v: %w: %d bytes", ID(buf[1]), errLength, n)
	}
	if len(buf) < n {
		return nil, buf, nil
	}
	return Frame(buf[:n:n]), buf[n:], nil
}

// Read reads the next frame. The reader's buffer must hold MaxFrame bytes.
func Read(from *bufio.Reader) (Frame, error) {
	for {
		buf, _ := from.Peek(from.Buffered())
		if f, _, err := Next(buf); f != nil || err != nil {
			f = slices.Clone(f)
			_, _ = from.Discard(len(f))
			return f, err
		}
		if _, err := from.Peek(len(buf) + 1); err != nil {
			return nil, err
		}
	}
}

// Packet is the content of a frame.
type Packet interface {
	ID() ID
	fields(c *codec)
}

// Append appends p as a frame to dst. It panics if the body is too long: callers must limit variable fields.
func Append(dst []byte, p Packet) []byte {
	at := len(dst)
	c := codec{writes: true, b: append(dst, magic, byte(p.ID()), 0, 0)}
	p.fields(&c)
	dst = c.b
	n := len(dst) - at
	if n > MaxFrame {
		panic(fmt.Sprintf("bncs: frame %v of %d bytes", p.ID(), n))
	}
	binary.LittleEndian.PutUint16(dst[at+2:], uint16(n))
	return dst
}
