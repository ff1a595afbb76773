package w3gs

// Packet is one message. Each has its opcode, and one list of its fields in wire
// order from which AppendTo and Decode follow.
type Packet interface {
	Op() Op
	AppendTo(b []byte) []byte // appends the whole frame, header included
	Decode(b []byte) error    // reads the payload, which is the frame without its header
}

// Raw is a packet that is carried and skipped, never interpreted: nobody has documented it
// (0x0E), or it goes between clients.
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

// New makes an empty packet for an opcode that the given side may send, nil
// for any other.
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

// bare is the payload of packets that have none.
type bare struct{}

func (bare) fields(c *codec) *codec { return c }

func empty[T any, P interface {
	*T
	Packet
}]() Packet {
	return P(new(T))
}

// Decode reads one frame sent by the given side. Byte slices in the packet may
// alias the frame. An opcode that side may not send gives ErrUnknownOp: the
// caller decides whether that is to be skipped.
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
