package w3gs

// FirstPongTick is the tick of the very first 0x46 a client sends: it echoes
// nothing and measures nothing.
const FirstPongTick = 1

// PingFromHost (0x01, host to client): tick u32, the host's clock in any unit.
type PingFromHost struct {
	Tick uint32
}

func (p *PingFromHost) Op() Op                   { return OpPingFromHost }
func (p *PingFromHost) AppendTo(b []byte) []byte { return p.fields(begin(b, OpPingFromHost)).end() }
func (p *PingFromHost) Decode(b []byte) error    { return p.fields(read(b, OpPingFromHost)).done() }
func (p *PingFromHost) fields(c *codec) *codec   { return c.u32(&p.Tick) }

// PongToHost (0x46, client to host): tick u32 copied from 0x01.
type PongToHost struct {
	Tick uint32
}

func (p *PongToHost) Op() Op                   { return OpPongToHost }
func (p *PongToHost) AppendTo(b []byte) []byte { return p.fields(begin(b, OpPongToHost)).end() }
func (p *PongToHost) Decode(b []byte) error    { return p.fields(read(b, OpPongToHost)).done() }
func (p *PongToHost) fields(c *codec) *codec   { return c.u32(&p.Tick) }
