package w3gs

import "hash/crc32"

// transferID is a u32 in every map packet. It is written as 1 and ignored when reading.
func (c *codec) transferID() *codec {
	id := uint32(1)
	return c.u32(&id)
}

// MapCheck (0x3D, host to client) asks whether the client has the map: u32 1 · path cstr · size u32 · CRC-32
// of the file u32 · map checksum u32 · SHA-1 20 bytes (from 1.23).
type MapCheck struct {
	Path     string // for example Maps\Download\name.w3x
	Size     uint32
	CRC32    uint32
	Checksum uint32
	SHA1     [20]byte
	HasSHA1  bool
}

func (p *MapCheck) Op() Op                   { return OpMapCheck }
func (p *MapCheck) AppendTo(b []byte) []byte { return p.fields(begin(b, OpMapCheck)).end() }
func (p *MapCheck) Decode(b []byte) error    { return p.fields(read(b, OpMapCheck)).done() }

func (p *MapCheck) fields(c *codec) *codec {
	return c.transferID().cstr(&p.Path, MaxFrame).u32(&p.Size).u32(&p.CRC32).u32(&p.Checksum).
		sha1(&p.SHA1, &p.HasSHA1)
}

// StartDownload (0x3F, host to client) announces that map parts follow: u32 1 · sender pid u8.
type StartDownload struct {
	From uint8
}

func (p *StartDownload) Op() Op                   { return OpStartDownload }
func (p *StartDownload) AppendTo(b []byte) []byte { return p.fields(begin(b, OpStartDownload)).end() }

func (p *StartDownload) Decode(b []byte) error  { return p.fields(read(b, OpStartDownload)).done() }
func (p *StartDownload) fields(c *codec) *codec { return c.transferID().u8(&p.From) }

// MapFlag is the kind of report in a 0x42.
type MapFlag uint8

// Kinds of map reports.
const (
	MapHave        MapFlag = 1 // the client has this many bytes
	MapDownloading MapFlag = 3 // progress of a running download
)

// MapSize (0x42, client to host) reports how many bytes of the map the client has: u32 1 · flag u8 · bytes
// u32.
type MapSize struct {
	Flag MapFlag
	Size uint32
}

func (p *MapSize) Op() Op                   { return OpMapSize }
func (p *MapSize) AppendTo(b []byte) []byte { return p.fields(begin(b, OpMapSize)).end() }
func (p *MapSize) Decode(b []byte) error    { return p.fields(read(b, OpMapSize)).done() }
func (p *MapSize) fields(c *codec) *codec   { return c.transferID().u8((*uint8)(&p.Flag)).u32(&p.Size) }

// MapPart (0x43, host to client) is a part of the map: recipient pid u8 · sender pid u8 · u32 1 · offset u32
// · CRC-32 of the data u32 · at most MapPartLen bytes.
//
// AppendTo sends the CRC32 field as given, so that it is computed once per part rather than once per player.
// Decode does not verify it, because clients answer a wrong one with 0x45; use Intact.
type MapPart struct {
	To     uint8
	From   uint8
	Offset uint32
	CRC32  uint32
	Data   []byte // aliases the payload after Decode
}

func (p *MapPart) Op() Op                   { return OpMapPart }
func (p *MapPart) AppendTo(b []byte) []byte { return p.fields(begin(b, OpMapPart)).end() }
func (p *MapPart) Decode(b []byte) error    { return p.fields(read(b, OpMapPart)).done() }

func (p *MapPart) fields(c *codec) *codec {
	return c.u8(&p.To).u8(&p.From).transferID().u32(&p.Offset).u32(&p.CRC32).
		rest(&p.Data, MapPartLen)
}

// Intact reports whether CRC32 matches the data.
func (p *MapPart) Intact() bool { return crc32.ChecksumIEEE(p.Data) == p.CRC32 }

// MapPartOK (0x44, client to host) acknowledges map parts: recipient pid u8 · sender pid u8 · u32 1 · total
// bytes received u32.
type MapPartOK struct {
	To   uint8
	From uint8
	Size uint32
}

func (p *MapPartOK) Op() Op                   { return OpMapPartOK }
func (p *MapPartOK) AppendTo(b []byte) []byte { return p.fields(begin(b, OpMapPartOK)).end() }
func (p *MapPartOK) Decode(b []byte) error    { return p.fields(read(b, OpMapPartOK)).done() }
func (p *MapPartOK) fields(c *codec) *codec   { return c.u8(&p.To).u8(&p.From).transferID().u32(&p.Size) }

// MapPartNotOK (0x45, client to host) refuses the download or asks for a damaged part again: recipient pid u8
// · sender pid u8 · u32 1.
type MapPartNotOK struct {
	To   uint8
	From uint8
}

func (p *MapPartNotOK) Op() Op                   { return OpMapPartNotOK }
func (p *MapPartNotOK) AppendTo(b []byte) []byte { return p.fields(begin(b, OpMapPartNotOK)).end() }
func (p *MapPartNotOK) Decode(b []byte) error    { return p.fields(read(b, OpMapPartNotOK)).done() }
func (p *MapPartNotOK) fields(c *codec) *codec   { return c.u8(&p.To).u8(&p.From).transferID() }
