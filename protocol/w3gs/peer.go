package w3gs

// PingFromOthers (0x35, client to client): ping u32 · peer set u32 · ticks u32.
type PingFromOthers struct {
	Ping    uint32
	PeerSet uint32
	Ticks   uint32
}

func (p *PingFromOthers) Op() Op                   { return OpPingFromOthers }
func (p *PingFromOthers) AppendTo(b []byte) []byte { return p.fields(begin(b, OpPingFromOthers)).end() }

func (p *PingFromOthers) Decode(b []byte) error { return p.fields(read(b, OpPingFromOthers)).done() }

func (p *PingFromOthers) fields(c *codec) *codec { return c.u32(&p.Ping).u32(&p.PeerSet).u32(&p.Ticks) }

// PongToOthers (0x36, client to client): ping u32.
type PongToOthers struct {
	Ping uint32
}

func (p *PongToOthers) Op() Op                   { return OpPongToOthers }
func (p *PongToOthers) AppendTo(b []byte) []byte { return p.fields(begin(b, OpPongToOthers)).end() }
func (p *PongToOthers) Decode(b []byte) error    { return p.fields(read(b, OpPongToOthers)).done() }
func (p *PongToOthers) fields(c *codec) *codec   { return c.u32(&p.Ping) }

// ClientInfo (0x37, client to client): join counter u32 · u32 0 · pid u8 · 0xFF
// · peer set u32.
type ClientInfo struct {
	JoinCounter uint32
	Unknown4    uint32 // 0 seen
	PID         uint8
	Unknown9    uint8 // 0xFF seen
	PeerSet     uint32
}

func (p *ClientInfo) Op() Op                   { return OpClientInfo }
func (p *ClientInfo) AppendTo(b []byte) []byte { return p.fields(begin(b, OpClientInfo)).end() }
func (p *ClientInfo) Decode(b []byte) error    { return p.fields(read(b, OpClientInfo)).done() }

func (p *ClientInfo) fields(c *codec) *codec {
	return c.u32(&p.JoinCounter).u32(&p.Unknown4).u8(&p.PID).u8(&p.Unknown9).u32(&p.PeerSet)
}

// PeerSet (0x3B, client to host) is a bit set of the peers a client reaches:
// u16 in classic clients, u32 from 1.29. A host may ignore it.
type PeerSet struct {
	Peers uint32
	Wide  bool // sent as u32
}

func (p *PeerSet) Op() Op                   { return OpPeerSet }
func (p *PeerSet) AppendTo(b []byte) []byte { return p.fields(begin(b, OpPeerSet)).end() }
func (p *PeerSet) Decode(b []byte) error    { return p.fields(read(b, OpPeerSet)).done() }

func (p *PeerSet) fields(c *codec) *codec {
	if c.reading {
		p.Wide = c.left() > 2
	}
	if p.Wide {
		return c.u32(&p.Peers)
	}
	peers := uint16(p.Peers)
	c.u16(&peers)
	if c.reading {
		p.Peers = uint32(peers)
	}
	return c
}
