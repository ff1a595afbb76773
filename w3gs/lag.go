package w3gs

// Lagger is one line of the lag screen.
type Lagger struct {
	PID       uint8
	LagMillis uint32
}

// StartLag (0x10, host to client) puts the lag screen up: n u8 · n × (pid u8 ·
// lag ms u32).
type StartLag struct {
	Laggers []Lagger
}

func (p *StartLag) Op() Op { return OpStartLag }

func (p *StartLag) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpStartLag)
	dst = appendCount(dst, len(p.Laggers))
	for _, l := range p.Laggers {
		dst = appendU32(append(dst, l.PID), l.LagMillis)
	}
	return end(dst, at)
}

func (p *StartLag) Decode(body []byte) error {
	c := read(OpStartLag, body)
	n := c.count(int(c.u8()), 5)
	p.Laggers = p.Laggers[:0]
	for range n {
		p.Laggers = append(p.Laggers, Lagger{PID: c.u8(), LagMillis: c.u32()})
	}
	return c.done()
}

// StopLag (0x11, host to client) takes one player off the lag screen: pid u8 ·
// lag ms u32.
type StopLag struct {
	Lagger
}

func (p *StopLag) Op() Op { return OpStopLag }

func (p *StopLag) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpStopLag)
	return end(appendU32(append(dst, p.PID), p.LagMillis), at)
}

func (p *StopLag) Decode(body []byte) error {
	c := read(OpStopLag, body)
	p.PID = c.u8()
	p.LagMillis = c.u32()
	return c.done()
}

// DropReq (0x29, client to host) is a vote to drop the laggers; empty.
type DropReq struct{}

func (p *DropReq) Op() Op { return OpDropReq }

func (p *DropReq) AppendTo(dst []byte) []byte { return appendEmpty(dst, OpDropReq) }

func (p *DropReq) Decode(body []byte) error { return decodeEmpty(OpDropReq, body) }
