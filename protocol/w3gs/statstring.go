package w3gs

import "slices"

// GameSettings is the first u32 of a stat string: the options of the "create game" screen.
type GameSettings uint32

// Bits of GameSettings. Speed is a number in bits 0 and 1; the others are flags.
const (
	SpeedSlow   GameSettings = 0
	SpeedNormal GameSettings = 1
	SpeedFast   GameSettings = 2

	VisibilityHideTerrain   GameSettings = 0x100
	VisibilityExplored      GameSettings = 0x200
	VisibilityAlwaysVisible GameSettings = 0x400
	VisibilityDefault       GameSettings = 0x800

	ObserversOnDefeat GameSettings = 0x2000
	ObserversOn       GameSettings = 0x3000 // Referees needs ObserversOn as well

	TeamsTogether     GameSettings = 0x4000
	FixedTeams        GameSettings = 0x60000
	FullSharedControl GameSettings = 0x1000000
	RandomHero        GameSettings = 0x2000000
	RandomRaces       GameSettings = 0x4000000
	Referees          GameSettings = 0x40000000
)

// StatString describes a hosted game to searching clients: settings u32 · u8 0 · map width u16 · map height
// u16 · map checksum u32 · map path cstr · host name cstr · u8 0 · SHA-1 20 bytes (from 1.23). It is sent in
// an encoding without zero bytes.
type StatString struct {
	Settings GameSettings
	Width    uint16 // size of the playable area, in the units of war3map.w3i
	Height   uint16
	Checksum uint32
	MapPath  string
	HostName string
	SHA1     [20]byte
	HasSHA1  bool
}

// AppendTo appends the encoded string without its terminating NUL.
func (s *StatString) AppendTo(dst []byte) []byte {
	var plain [160]byte
	return AppendStatEncoded(dst, s.fields(&codec{b: plain[:0]}).b)
}

// Decode reads an encoded string without its terminating NUL.
func (s *StatString) Decode(encoded []byte) error {
	plain, err := DecodeStat(encoded)
	if err != nil {
		return err
	}
	return s.fields(read(plain, OpGameInfo)).done()
}

func (s *StatString) fields(c *codec) *codec {
	var zero uint8
	c.u32((*uint32)(&s.Settings)).u8(&zero).u16(&s.Width).u16(&s.Height).u32(&s.Checksum)
	zero = 0
	c.cstr(&s.MapPath, maxStatString).cstr(&s.HostName, maxStatString).u8(&zero)
	return c.sha1(&s.SHA1, &s.HasSHA1)
}

// AppendStatEncoded encodes plain in groups of a mask byte and up to seven data bytes. Mask bit 0 is always
// set. Bit i is set if data byte i is odd and sent unchanged; even bytes are sent plus one with a clear bit.
func AppendStatEncoded(dst, plain []byte) []byte {
	for group := range slices.Chunk(plain, 7) {
		at := len(dst)
		dst = append(dst, 1)
		for i, b := range group {
			dst[at] |= (b & 1) << (i + 1)
			dst = append(dst, b|1)
		}
	}
	return dst
}

// DecodeStat reverses AppendStatEncoded. A zero byte is an error, because it would have ended the string.
func DecodeStat(encoded []byte) ([]byte, error) {
	plain := make([]byte, 0, len(encoded))
	var mask byte
	for i, b := range encoded {
		switch {
		case b == 0:
			return nil, &DecodeError{Op: OpGameInfo, Offset: i, Err: ErrValue}
		case i%8 == 0:
			mask = b
		default:
			plain = append(plain, b-(^mask>>(i%8))&1)
		}
	}
	return plain, nil
}
