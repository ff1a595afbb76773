package w3gs

// Lagger is one row of the lag screen ("Waiting for players").
type Lagger struct {
	PID       uint8
	LagMillis uint32
}

func (l *Lagger) fields(c *codec) *codec { return c.u8(&l.PID).u32(&l.LagMillis) }

// StartLag (0x10, host to client) shows the lag screen: n u8 · n × (pid u8 · lag ms u32).
type StartLag struct {
	Laggers []Lagger
}

func (p *StartLag) Op() Op                   { return OpStartLag }
func (p *StartLag) AppendTo(b []byte) []byte { return p.fields(begin(b, OpStartLag)).end() }
func (p *StartLag) Decode(b []byte) error    { return p.fields(read(b, OpStartLag)).done() }

func (p *StartLag) fields(c *codec) *codec {
	n := c.count(len(p.Laggers), 5, 255)
	if c.reading {
		p.Laggers = append(p.Laggers[:0], make([]Lagger, n)...)
	}
	for i := range p.Laggers {
		p.Laggers[i].fields(c)
	}
	return c
}

// StopLag (0x11, host to client) removes one player from the lag screen: pid u8 · lag ms u32.
type StopLag struct {
	Lagger
}

func (p *StopLag) Op() Op                   { return OpStopLag }
func (p *StopLag) AppendTo(b []byte) []byte { return p.fields(begin(b, OpStopLag)).end() }
func (p *StopLag) Decode(b []byte) error    { return p.fields(read(b, OpStopLag)).done() }

// DropReq (0x29, client to host) is a vote to drop the lagging players; empty payload.
type DropReq struct{ bare }

func (p *DropReq) Op() Op                   { return OpDropReq }
func (p *DropReq) AppendTo(b []byte) []byte { return p.fields(begin(b, OpDropReq)).end() }
func (p *DropReq) Decode(b []byte) error    { return p.fields(read(b, OpDropReq)).done() }
