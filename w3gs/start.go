package w3gs

// CountdownStart (0x0A, host to client): the game is about to start; empty.
type CountdownStart struct{}

func (p *CountdownStart) Op() Op { return OpCountdownStart }

func (p *CountdownStart) AppendTo(dst []byte) []byte { return appendEmpty(dst, OpCountdownStart) }

func (p *CountdownStart) Decode(body []byte) error { return decodeEmpty(OpCountdownStart, body) }

// CountdownEnd (0x0B, host to client): load the map now; empty.
type CountdownEnd struct{}

func (p *CountdownEnd) Op() Op { return OpCountdownEnd }

func (p *CountdownEnd) AppendTo(dst []byte) []byte { return appendEmpty(dst, OpCountdownEnd) }

func (p *CountdownEnd) Decode(body []byte) error { return decodeEmpty(OpCountdownEnd, body) }

// LoadedSelf (0x23, client to host): this client has loaded the map; empty.
type LoadedSelf struct{}

func (p *LoadedSelf) Op() Op { return OpLoadedSelf }

func (p *LoadedSelf) AppendTo(dst []byte) []byte { return appendEmpty(dst, OpLoadedSelf) }

func (p *LoadedSelf) Decode(body []byte) error { return decodeEmpty(OpLoadedSelf, body) }

// GameLoaded (0x08, host to client) says who has loaded the map: pid u8.
type GameLoaded struct {
	PID uint8
}

func (p *GameLoaded) Op() Op { return OpGameLoaded }

func (p *GameLoaded) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpGameLoaded)
	return end(append(dst, p.PID), at)
}

func (p *GameLoaded) Decode(body []byte) error {
	c := read(OpGameLoaded, body)
	p.PID = c.u8()
	return c.done()
}
