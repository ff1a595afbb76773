package w3gs

// PingFromOthers (0x35, client to client): ping u32 · peer set u32 · ticks u32.
type PingFromOthers struct {
	Ping    uint32
	PeerSet uint32
	Ticks   uint32
}

func (p *PingFromOthers) Op() Op { return OpPingFromOthers }

func (p *PingFromOthers) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpPingFromOthers)
	dst = appendU32(appendU32(dst, p.Ping), p.PeerSet)
	return end(appendU32(dst, p.Ticks), at)
}

func (p *PingFromOthers) Decode(body []byte) error {
	c := read(OpPingFromOthers, body)
	p.Ping = c.u32()
	p.PeerSet = c.u32()
	p.Ticks = c.u32()
	return c.done()
}

// PongToOthers (0x36, client to client): ping u32.
type PongToOthers struct {
	Ping uint32
}

func (p *PongToOthers) Op() Op { return OpPongToOthers }

func (p *PongToOthers) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpPongToOthers)
	return end(appendU32(dst, p.Ping), at)
}

func (p *PongToOthers) Decode(body []byte) error {
	c := read(OpPongToOthers, body)
	p.Ping = c.u32()
	return c.done()
}

// ClientInfo (0x37, client to client): join counter u32 · u32 0 · pid u8 · 0xFF
// · peer set u32.
type ClientInfo struct {
	JoinCounter uint32
	Unknown4    uint32 // 0 seen
	PID         uint8
	Unknown9    uint8 // 0xFF seen
	PeerSet     uint32
}

func (p *ClientInfo) Op() Op { return OpClientInfo }

func (p *ClientInfo) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpClientInfo)
	dst = appendU32(appendU32(dst, p.JoinCounter), p.Unknown4)
	return end(appendU32(append(dst, p.PID, p.Unknown9), p.PeerSet), at)
}

func (p *ClientInfo) Decode(body []byte) error {
	c := read(OpClientInfo, body)
	p.JoinCounter = c.u32()
	p.Unknown4 = c.u32()
	p.PID = c.u8()
	p.Unknown9 = c.u8()
	p.PeerSet = c.u32()
	return c.done()
}

// PeerSet (0x3B, client to host) is a bit set of the peers a client reaches:
// u16 in classic clients, u32 from 1.29. A host may ignore it.
type PeerSet struct {
	Peers uint32
	Wide  bool // sent as u32
}

func (p *PeerSet) Op() Op { return OpPeerSet }

func (p *PeerSet) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpPeerSet)
	if p.Wide {
		return end(appendU32(dst, p.Peers), at)
	}
	return end(appendU16(dst, uint16(p.Peers)), at)
}

func (p *PeerSet) Decode(body []byte) error {
	c := read(OpPeerSet, body)
	p.Wide = len(body) > 2
	if p.Wide {
		p.Peers = c.u32()
	} else {
		p.Peers = uint32(c.u16())
	}
	return c.done()
}
