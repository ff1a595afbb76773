package w3gs

// CountdownStart (0x0A, host to client) announces that the game is about to start; empty payload.
type CountdownStart struct{ bare }

func (p *CountdownStart) Op() Op                   { return OpCountdownStart }
func (p *CountdownStart) AppendTo(b []byte) []byte { return p.fields(begin(b, OpCountdownStart)).end() }

func (p *CountdownStart) Decode(b []byte) error { return p.fields(read(b, OpCountdownStart)).done() }

// CountdownEnd (0x0B, host to client) tells clients to load the map; empty payload.
type CountdownEnd struct{ bare }

func (p *CountdownEnd) Op() Op                   { return OpCountdownEnd }
func (p *CountdownEnd) AppendTo(b []byte) []byte { return p.fields(begin(b, OpCountdownEnd)).end() }
func (p *CountdownEnd) Decode(b []byte) error    { return p.fields(read(b, OpCountdownEnd)).done() }

// LoadedSelf (0x23, client to host) reports that the client has loaded the map; empty payload.
type LoadedSelf struct{ bare }

func (p *LoadedSelf) Op() Op                   { return OpLoadedSelf }
func (p *LoadedSelf) AppendTo(b []byte) []byte { return p.fields(begin(b, OpLoadedSelf)).end() }
func (p *LoadedSelf) Decode(b []byte) error    { return p.fields(read(b, OpLoadedSelf)).done() }

// GameLoaded (0x08, host to client) tells clients which player has loaded the map: pid u8.
type GameLoaded struct {
	PID uint8
}

func (p *GameLoaded) Op() Op                   { return OpGameLoaded }
func (p *GameLoaded) AppendTo(b []byte) []byte { return p.fields(begin(b, OpGameLoaded)).end() }
func (p *GameLoaded) Decode(b []byte) error    { return p.fields(read(b, OpGameLoaded)).done() }
func (p *GameLoaded) fields(c *codec) *codec   { return c.u8(&p.PID) }
