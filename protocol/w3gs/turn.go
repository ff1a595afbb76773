package w3gs

import "hash/crc32"

// IncomingAction (0x0C, host to client) is one turn: time increment ms u16 · and, if there are actions, crc
// u16 · actions. crc is the low half of the CRC-32 (IEEE) of the following bytes. A turn without actions is a
// 6-byte packet.
type IncomingAction struct {
	IncrementMillis uint16
	Actions         []byte // encoded by AppendAction, at most MaxBatchLen bytes; aliases the payload after Decode
}

func (p *IncomingAction) Op() Op                   { return OpIncomingAction }
func (p *IncomingAction) AppendTo(b []byte) []byte { return p.fields(begin(b, OpIncomingAction)).end() }

func (p *IncomingAction) Decode(b []byte) error { return p.fields(read(b, OpIncomingAction)).done() }

func (p *IncomingAction) fields(c *codec) *codec {
	return c.u16(&p.IncrementMillis).actions(&p.Actions)
}

// IncomingAction2 (0x48, host to client) carries actions of a turn that do not fit into its 0x0C, and is sent
// before it: u16 0 · crc u16 · actions.
type IncomingAction2 struct {
	Actions []byte
}

func (p *IncomingAction2) Op() Op { return OpIncomingAction2 }
func (p *IncomingAction2) AppendTo(b []byte) []byte {
	return p.fields(begin(b, OpIncomingAction2)).end()
}

func (p *IncomingAction2) Decode(b []byte) error { return p.fields(read(b, OpIncomingAction2)).done() }

func (p *IncomingAction2) fields(c *codec) *codec {
	var zero uint16
	if c.u16(&zero); zero != 0 {
		c.fail(ErrValue)
	}
	return c.actions(&p.Actions)
}

// actions is the CRC and action batch at the end of a turn packet. Reading fails if the CRC is wrong or an
// action is truncated.
func (c *codec) actions(batch *[]byte) *codec {
	if c.reading {
		*batch = nil
	}
	if c.reading && c.left() == 0 || !c.reading && len(*batch) == 0 {
		return c
	}
	sum := uint16(crc32.ChecksumIEEE(*batch))
	from := c.u16(&sum).at
	c.rest(batch, MaxBatchLen)
	if !c.reading || c.err != nil {
		return c
	}
	whole := 0
	for _, data := range Actions(*batch) {
		whole += ActionPrefix + len(data)
	}
	switch {
	case sum != uint16(crc32.ChecksumIEEE(*batch)):
		c.fail(ErrChecksum)
	case whole != len(*batch):
		c.failAt(from+whole, ErrShort)
	case whole == 0:
		*batch = nil // a CRC without actions
	}
	return c
}

// OutgoingAction (0x26, client to host) is an action of a player: CRC-32 u32 of the rest · action data.
type OutgoingAction struct {
	Data []byte // aliases the payload after Decode
}

func (p *OutgoingAction) Op() Op                   { return OpOutgoingAction }
func (p *OutgoingAction) AppendTo(b []byte) []byte { return p.fields(begin(b, OpOutgoingAction)).end() }

func (p *OutgoingAction) Decode(b []byte) error { return p.fields(read(b, OpOutgoingAction)).done() }

func (p *OutgoingAction) fields(c *codec) *codec {
	var sum uint32
	if !c.reading {
		sum = crc32.ChecksumIEEE(p.Data)
	}
	c.u32(&sum).rest(&p.Data, MaxActionLen)
	if c.reading && sum != crc32.ChecksumIEEE(p.Data) {
		c.fail(ErrChecksum)
	}
	return c
}

// Keepalive (0x27, client to host) acknowledges a turn: u8 unknown · sync checksum u32. The public documents
// omit the first byte, but real clients send it, so frames have 9 bytes.
type Keepalive struct {
	Unknown0 uint8 // usually the last byte of the previous checksum; it differs between clients of one game
	Checksum uint32
}

func (p *Keepalive) Op() Op                   { return OpKeepalive }
func (p *Keepalive) AppendTo(b []byte) []byte { return p.fields(begin(b, OpKeepalive)).end() }
func (p *Keepalive) Decode(b []byte) error    { return p.fields(read(b, OpKeepalive)).done() }
func (p *Keepalive) fields(c *codec) *codec   { return c.u8(&p.Unknown0).u32(&p.Checksum) }

// Desync (0x0D, host to client) lists the players that continue in one of the diverged states: u32 1 · u8 4 ·
// checksum u32 · n u8 · n × pid. Only the official host sends it.
type Desync struct {
	Unknown0 uint32 // always 1 in captures
	Unknown4 uint8  // always 4 in captures
	Checksum uint32
	PIDs     []uint8
}

func (p *Desync) Op() Op                   { return OpDesync }
func (p *Desync) AppendTo(b []byte) []byte { return p.fields(begin(b, OpDesync)).end() }
func (p *Desync) Decode(b []byte) error    { return p.fields(read(b, OpDesync)).done() }

func (p *Desync) fields(c *codec) *codec {
	return c.u32(&p.Unknown0).u8(&p.Unknown4).u32(&p.Checksum).list(&p.PIDs, 255)
}
