package w3gs

// PeerSet (0x3B, client to host) is the bit set of peers that a client can reach directly: u16 in classic
// clients, u32 from 1.29. Hosts may ignore it.
type PeerSet struct {
	Peers uint32
	Wide  bool // encoded as u32
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
