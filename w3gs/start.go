package w3gs

// CountdownStart (0x0A, host to client): the game is about to start; empty.
type CountdownStart struct{}

// Op is 0x0A.
func (p *CountdownStart) Op() Op { return OpCountdownStart }

// AppendTo appends the frame.
func (p *CountdownStart) AppendTo(dst []byte) []byte { return appendEmpty(dst, OpCountdownStart) }

// Decode reads the payload.
func (p *CountdownStart) Decode(body []byte) error { return decodeEmpty(OpCountdownStart, body) }

// CountdownEnd (0x0B, host to client): load the map now; empty.
type CountdownEnd struct{}

// Op is 0x0B.
func (p *CountdownEnd) Op() Op { return OpCountdownEnd }

// AppendTo appends the frame.
func (p *CountdownEnd) AppendTo(dst []byte) []byte { return appendEmpty(dst, OpCountdownEnd) }

// Decode reads the payload.
func (p *CountdownEnd) Decode(body []byte) error { return decodeEmpty(OpCountdownEnd, body) }

// LoadedSelf (0x23, client to host): this client has loaded the map; empty.
type LoadedSelf struct{}

// Op is 0x23.
func (p *LoadedSelf) Op() Op { return OpLoadedSelf }

// AppendTo appends the frame.
func (p *LoadedSelf) AppendTo(dst []byte) []byte { return appendEmpty(dst, OpLoadedSelf) }

// Decode reads the payload.
func (p *LoadedSelf) Decode(body []byte) error { return decodeEmpty(OpLoadedSelf, body) }

// GameLoaded (0x08, host to client) says who has loaded the map: pid u8.
type GameLoaded struct {
	PID uint8
}

// Op is 0x08.
func (p *GameLoaded) Op() Op { return OpGameLoaded }

// AppendTo appends the frame.
func (p *GameLoaded) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpGameLoaded)
	return end(append(dst, p.PID), at)
}

// Decode reads the payload.
func (p *GameLoaded) Decode(body []byte) error {
	c := read(OpGameLoaded, body)
	p.PID = c.u8()
	return c.done()
}
