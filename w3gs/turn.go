package w3gs

import "hash/crc32"

// IncomingAction (0x0C, host to client) is one turn: time increment ms u16 ·
// and, only if there are actions, crc u16 · actions. crc is the low half of the
// CRC-32 (IEEE) of the bytes after it. Without actions the packet is 6 bytes.
type IncomingAction struct {
	IncrementMillis uint16
	Actions         []byte // encoded by AppendAction, at most MaxBatchLen
}

func (p *IncomingAction) Op() Op { return OpIncomingAction }

func (p *IncomingAction) AppendTo(dst []byte) []byte {
	return appendTurn(dst, OpIncomingAction, p.IncrementMillis, p.Actions)
}

// Decode reads the payload and checks its crc. Actions aliases body.
func (p *IncomingAction) Decode(body []byte) error {
	var err error
	p.IncrementMillis, p.Actions, err = decodeTurn(OpIncomingAction, body)
	return err
}

// IncomingAction2 (0x48, host to client) carries the actions of a turn that do
// not fit its 0x0C, and is sent before it: u16 0 · crc u16 · actions.
type IncomingAction2 struct {
	Actions []byte
}

func (p *IncomingAction2) Op() Op { return OpIncomingAction2 }

func (p *IncomingAction2) AppendTo(dst []byte) []byte {
	return appendTurn(dst, OpIncomingAction2, 0, p.Actions)
}

// Decode reads the payload and checks its crc. Actions aliases body.
func (p *IncomingAction2) Decode(body []byte) error {
	_, actions, err := decodeTurn(OpIncomingAction2, body)
	p.Actions = actions
	return err
}

// OutgoingAction (0x26, client to host) is what a player did: crc32 u32 of
// what follows · action data.
type OutgoingAction struct {
	Data []byte
}

func (p *OutgoingAction) Op() Op { return OpOutgoingAction }

func (p *OutgoingAction) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpOutgoingAction)
	dst = appendU32(dst, crc32.ChecksumIEEE(p.Data))
	return end(append(dst, p.Data...), at)
}

// Decode reads the payload and checks its crc. Data aliases body.
func (p *OutgoingAction) Decode(body []byte) error {
	c := read(OpOutgoingAction, body)
	sum := c.u32()
	if c.left() > MaxActionLen {
		c.fail(ErrTooLong)
	}
	p.Data = c.rest()
	if c.err == nil && sum != crc32.ChecksumIEEE(p.Data) {
		c.fail(ErrChecksum)
	}
	return c.done()
}

// Keepalive (0x27, client to host) answers each turn: u8 unknown · sync
// checksum u32, 9 bytes in all. The public documents leave the first byte out;
// real clients send it.
type Keepalive struct {
	Unknown0 uint8 // 0 and 1 seen
	Checksum uint32
}

func (p *Keepalive) Op() Op { return OpKeepalive }

func (p *Keepalive) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpKeepalive)
	return end(appendU32(append(dst, p.Unknown0), p.Checksum), at)
}

func (p *Keepalive) Decode(body []byte) error {
	c := read(OpKeepalive, body)
	p.Unknown0 = c.u8()
	p.Checksum = c.u32()
	return c.done()
}

// Desync (0x0D, host to client) names the players that go on in one state: u32
// 1 · u8 4 · checksum u32 · n u8 · n × pid. Only the official host sends it.
type Desync struct {
	Unknown0 uint32 // 1 seen
	Unknown4 uint8  // 4 seen
	Checksum uint32
	PIDs     []uint8
}

func (p *Desync) Op() Op { return OpDesync }

func (p *Desync) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpDesync)
	dst = append(appendU32(dst, p.Unknown0), p.Unknown4)
	dst = appendCount(appendU32(dst, p.Checksum), len(p.PIDs))
	return end(append(dst, p.PIDs...), at)
}

func (p *Desync) Decode(body []byte) error {
	c := read(OpDesync, body)
	p.Unknown0 = c.u32()
	p.Unknown4 = c.u8()
	p.Checksum = c.u32()
	p.PIDs = append(p.PIDs[:0], c.bytes(c.count(int(c.u8()), 1))...)
	return c.done()
}

func appendTurn(dst []byte, op Op, increment uint16, actions []byte) []byte {
	dst, at := begin(dst, op)
	dst = appendU16(dst, increment)
	if len(actions) > 0 {
		dst = appendU16(dst, uint16(crc32.ChecksumIEEE(actions)))
		dst = append(dst, actions...)
	}
	return end(dst, at)
}

func decodeTurn(op Op, body []byte) (increment uint16, actions []byte, err error) {
	c := read(op, body)
	increment = c.u16()
	if op == OpIncomingAction2 {
		c.fixed(uint32(increment), 0)
	}
	if c.err != nil || c.left() == 0 {
		return increment, nil, c.err
	}
	sum := c.u16()
	if c.left() > MaxBatchLen {
		c.fail(ErrTooLong)
	}
	actions = c.rest()
	if c.err == nil && sum != uint16(crc32.ChecksumIEEE(actions)) {
		c.fail(ErrChecksum)
	}
	if err := c.done(); err != nil {
		return 0, nil, err
	}
	if len(actions) == 0 {
		return increment, nil, nil // a crc of nothing
	}
	if err := checkActions(op, actions); err != nil {
		return 0, nil, err
	}
	return increment, actions, nil
}
