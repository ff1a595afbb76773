package w3gs

// Packet is a W3GS message. Implementations derive AppendTo and Decode from a single list of fields.
type Packet interface {
	Op() Op
	AppendTo(b []byte) []byte // appends the whole frame, header included
	Decode(b []byte) error    // reads the payload without the header; the packet may alias b
}

// Raw is a packet with uninterpreted payload: an undocumented one (0x0E) or one sent between clients. Decode
// copies the payload.
type Raw struct {
	ID   Op
	Body []byte
}

func (p *Raw) Op() Op                   { return p.ID }
func (p *Raw) AppendTo(b []byte) []byte { return p.fields(begin(b, p.ID)).end() }
func (p *Raw) Decode(b []byte) error    { return p.fields(read(b, p.ID)).done() }

func (p *Raw) fields(c *codec) *codec {
	if c.reading {
		p.Body = append(p.Body[:0], c.take(c.left())...)
		return c
	}
	return c.rest(&p.Body, MaxFrame)
}

// New returns an empty packet for an opcode that may be sent in direction dir, and nil for any other opcode.
func New(op Op, dir Dir) Packet {
	switch o := ops[op]; {
	case dir == 0 || o.dir&dir != dir:
		return nil
	case o.empty == nil:
		return &Raw{ID: op}
	default:
		return o.empty()
	}
}

// bare provides the empty field list of packets without payload.
type bare struct{}

func (bare) fields(c *codec) *codec { return c }

func empty[T any, P interface {
	*T
	Packet
}]() Packet {
	return P(new(T))
}

// Decode decodes a frame sent in direction dir. Byte slices in the packet may alias the frame. It returns
// ErrUnknownOp for an opcode that may not be sent in that direction; the caller decides whether to skip or
// refuse it.
func Decode(f Frame, dir Dir) (Packet, error) {
	p := New(f.Op(), dir)
	if p == nil {
		return nil, &DecodeError{Op: f.Op(), Err: ErrUnknownOp}
	}
	if err := p.Decode(f.Body()); err != nil {
		return nil, err
	}
	return p, nil
}
