package w3gs

// FirstPongTick is the tick of the very first 0x46 a client sends: it echoes
// nothing and measures nothing.
const FirstPongTick = 1

// PingFromHost (0x01, host to client): tick u32, the host's clock in any unit.
type PingFromHost struct {
	Tick uint32
}

func (p *PingFromHost) Op() Op { return OpPingFromHost }

func (p *PingFromHost) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpPingFromHost)
	return end(appendU32(dst, p.Tick), at)
}

func (p *PingFromHost) Decode(body []byte) error {
	c := read(OpPingFromHost, body)
	p.Tick = c.u32()
	return c.done()
}

// PongToHost (0x46, client to host): tick u32 copied from 0x01.
type PongToHost struct {
	Tick uint32
}

func (p *PongToHost) Op() Op { return OpPongToHost }

func (p *PongToHost) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpPongToHost)
	return end(appendU32(dst, p.Tick), at)
}

func (p *PongToHost) Decode(body []byte) error {
	c := read(OpPongToHost, body)
	p.Tick = c.u32()
	return c.done()
}
