package w3gs

// FirstPongTick is the tick of a client's first 0x46. It does not echo a ping, so it must not be used to
// measure latency.
const FirstPongTick = 1

// PingFromHost (0x01, host to client) asks for an echo: tick u32, a clock value in any unit of the host's
// choice.
type PingFromHost struct {
	Tick uint32
}

func (p *PingFromHost) Op() Op                   { return OpPingFromHost }
func (p *PingFromHost) AppendTo(b []byte) []byte { return p.fields(begin(b, OpPingFromHost)).end() }
func (p *PingFromHost) Decode(b []byte) error    { return p.fields(read(b, OpPingFromHost)).done() }
func (p *PingFromHost) fields(c *codec) *codec   { return c.u32(&p.Tick) }

// PongToHost (0x46, client to host) echoes the tick u32 of a 0x01.
type PongToHost struct {
	Tick uint32
}

func (p *PongToHost) Op() Op                   { return OpPongToHost }
func (p *PongToHost) AppendTo(b []byte) []byte { return p.fields(begin(b, OpPongToHost)).end() }
func (p *PongToHost) Decode(b []byte) error    { return p.fields(read(b, OpPongToHost)).done() }
func (p *PongToHost) fields(c *codec) *codec   { return c.u32(&p.Tick) }
