package w3gs

import "hash/crc32"

// transferID is the u32 that every map packet carries; only 1 is seen.
const transferID = 1

// MapCheck (0x3D, host to client) asks whether the client has the map: u32 1 ·
// path cstr · size u32 · CRC-32 of the file u32 · map checksum u32 · SHA-1 20
// bytes (absent before 1.23).
type MapCheck struct {
	Path     string // Maps\Download\name.w3x
	Size     uint32
	CRC32    uint32
	Checksum uint32
	SHA1     [20]byte
	HasSHA1  bool
}

func (p *MapCheck) Op() Op { return OpMapCheck }

func (p *MapCheck) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpMapCheck)
	dst = appendU32(dst, transferID)
	dst = appendCstr(dst, p.Path)
	dst = appendU32(dst, p.Size)
	dst = appendU32(dst, p.CRC32)
	dst = appendU32(dst, p.Checksum)
	if p.HasSHA1 {
		dst = append(dst, p.SHA1[:]...)
	}
	return end(dst, at)
}

func (p *MapCheck) Decode(body []byte) error {
	c := read(OpMapCheck, body)
	c.u32()
	p.Path = c.cstr(MaxFrame)
	p.Size = c.u32()
	p.CRC32 = c.u32()
	p.Checksum = c.u32()
	p.SHA1, p.HasSHA1 = [20]byte{}, c.left() > 0
	if p.HasSHA1 {
		copy(p.SHA1[:], c.bytes(len(p.SHA1)))
	}
	return c.done()
}

// StartDownload (0x3F, host to client) announces map parts: u32 1 · from pid u8.
type StartDownload struct {
	From uint8
}

func (p *StartDownload) Op() Op { return OpStartDownload }

func (p *StartDownload) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpStartDownload)
	return end(append(appendU32(dst, transferID), p.From), at)
}

func (p *StartDownload) Decode(body []byte) error {
	c := read(OpStartDownload, body)
	c.u32()
	p.From = c.u8()
	return c.done()
}

// MapFlag is what a 0x42 reports.
type MapFlag uint8

// Map flags.
const (
	MapHave        MapFlag = 1 // "I hold this many bytes"
	MapDownloading MapFlag = 3 // progress of a download
)

// MapSize (0x42, client to host) reports how much of the map the client holds:
// u32 1 · flag u8 · bytes u32.
type MapSize struct {
	Flag MapFlag
	Size uint32
}

func (p *MapSize) Op() Op { return OpMapSize }

func (p *MapSize) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpMapSize)
	dst = append(appendU32(dst, transferID), byte(p.Flag))
	return end(appendU32(dst, p.Size), at)
}

func (p *MapSize) Decode(body []byte) error {
	c := read(OpMapSize, body)
	c.u32()
	p.Flag = MapFlag(c.u8())
	p.Size = c.u32()
	return c.done()
}

// MapPart (0x43, host to client) is a piece of the map: to pid u8 · from pid
// u8 · u32 1 · offset u32 · CRC-32 of the data u32 · at most 1442 bytes.
type MapPart struct {
	To     uint8
	From   uint8
	Offset uint32
	CRC32  uint32
	Data   []byte
}

func (p *MapPart) Op() Op { return OpMapPart }

// AppendTo appends the frame. CRC32 is sent as it stands: it is computed once
// per part, not once per player.
func (p *MapPart) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpMapPart)
	dst = appendU32(append(dst, p.To, p.From), transferID)
	dst = appendU32(dst, p.Offset)
	dst = appendU32(dst, p.CRC32)
	return end(append(dst, p.Data...), at)
}

// Decode reads the payload. Data aliases body. A wrong CRC is no fault of the
// packet's form: the client answers it with 0x45; see Intact.
func (p *MapPart) Decode(body []byte) error {
	c := read(OpMapPart, body)
	p.To = c.u8()
	p.From = c.u8()
	c.u32()
	p.Offset = c.u32()
	p.CRC32 = c.u32()
	if c.left() > MapPartLen {
		c.fail(ErrTooLong)
	}
	p.Data = c.rest()
	return c.done()
}

// Intact reports whether the data has the CRC-32 that the packet states.
func (p *MapPart) Intact() bool { return crc32.ChecksumIEEE(p.Data) == p.CRC32 }

// MapPartOK (0x44, client to host) acknowledges parts: to pid u8 · from pid u8
// · u32 1 · bytes held so far u32.
type MapPartOK struct {
	To   uint8
	From uint8
	Size uint32
}

func (p *MapPartOK) Op() Op { return OpMapPartOK }

func (p *MapPartOK) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpMapPartOK)
	dst = appendU32(append(dst, p.To, p.From), transferID)
	return end(appendU32(dst, p.Size), at)
}

func (p *MapPartOK) Decode(body []byte) error {
	c := read(OpMapPartOK, body)
	p.To = c.u8()
	p.From = c.u8()
	c.u32()
	p.Size = c.u32()
	return c.done()
}

// MapPartNotOK (0x45, client to host) refuses the download, or says that a
// part was damaged and wants it again: to pid u8 · from pid u8 · u32 1.
type MapPartNotOK struct {
	To   uint8
	From uint8
}

func (p *MapPartNotOK) Op() Op { return OpMapPartNotOK }

func (p *MapPartNotOK) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpMapPartNotOK)
	return end(appendU32(append(dst, p.To, p.From), transferID), at)
}

func (p *MapPartNotOK) Decode(body []byte) error {
	c := read(OpMapPartNotOK, body)
	p.To = c.u8()
	p.From = c.u8()
	c.u32()
	return c.done()
}
