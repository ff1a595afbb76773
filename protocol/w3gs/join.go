package w3gs

// RejectReason is the reason code of a refused join.
type RejectReason uint32

// Reason codes of 0x05 that clients show.
const (
	RejectInvalid  RejectReason = 7
	RejectFull     RejectReason = 9
	RejectStarted  RejectReason = 10
	RejectWrongKey RejectReason = 27
)

// SlotInfoJoin (0x04, host to client) accepts a new player into the lobby: slot table · pid u8 · sockaddr_in
// of the player as seen by the host.
type SlotInfoJoin struct {
	SlotTable
	PID      uint8
	External SockAddr
}

func (p *SlotInfoJoin) Op() Op                   { return OpSlotInfoJoin }
func (p *SlotInfoJoin) AppendTo(b []byte) []byte { return p.fields(begin(b, OpSlotInfoJoin)).end() }
func (p *SlotInfoJoin) Decode(b []byte) error    { return p.fields(read(b, OpSlotInfoJoin)).done() }
func (p *SlotInfoJoin) fields(c *codec) *codec {
	return p.SlotTable.fields(c).u8(&p.PID).sockAddr(&p.External)
}

// RejectJoin (0x05, host to client) refuses a join: reason u32.
type RejectJoin struct {
	Reason RejectReason
}

func (p *RejectJoin) Op() Op                   { return OpRejectJoin }
func (p *RejectJoin) AppendTo(b []byte) []byte { return p.fields(begin(b, OpRejectJoin)).end() }
func (p *RejectJoin) Decode(b []byte) error    { return p.fields(read(b, OpRejectJoin)).done() }
func (p *RejectJoin) fields(c *codec) *codec   { return c.u32((*uint32)(&p.Reason)) }

// PlayerInfo (0x06, host to client) introduces a player to another: join counter u32 · pid u8 · name cstr · n
// u8 · n bytes · external and internal sockaddr_in. Hosts send zero addresses to hide the player's IP.
type PlayerInfo struct {
	JoinCounter uint32
	PID         uint8
	Name        string
	Extra       []byte // Version.JoinExtra zero bytes
	External    SockAddr
	Internal    SockAddr
}

func (p *PlayerInfo) Op() Op                   { return OpPlayerInfo }
func (p *PlayerInfo) AppendTo(b []byte) []byte { return p.fields(begin(b, OpPlayerInfo)).end() }
func (p *PlayerInfo) Decode(b []byte) error    { return p.fields(read(b, OpPlayerInfo)).done() }

func (p *PlayerInfo) fields(c *codec) *codec {
	return c.u32(&p.JoinCounter).u8(&p.PID).cstr(&p.Name, MaxFrame).list(&p.Extra, maxJoinExtra).
		sockAddr(&p.External).sockAddr(&p.Internal)
}

// ReqJoin (0x1E, client to host) asks to enter a lobby: game id u32 · entry key u32 · u8 0 · listen port u16
// · join counter u32 · name cstr · n u8 · n bytes · internal sockaddr_in. n is 1 before 1.31 and 2 from then
// on. Names over 15 bytes decode too, so that the lobby can refuse them with a reason that the client shows.
type ReqJoin struct {
	GameID      uint32
	EntryKey    uint32
	Unknown8    uint8 // always 0 in captures
	ListenPort  uint16
	JoinCounter uint32
	Name        string
	Extra       []byte
	Internal    SockAddr
}

func (p *ReqJoin) Op() Op                   { return OpReqJoin }
func (p *ReqJoin) AppendTo(b []byte) []byte { return p.fields(begin(b, OpReqJoin)).end() }
func (p *ReqJoin) Decode(b []byte) error    { return p.fields(read(b, OpReqJoin)).done() }

func (p *ReqJoin) fields(c *codec) *codec {
	return c.u32(&p.GameID).u32(&p.EntryKey).u8(&p.Unknown8).u16(&p.ListenPort).u32(&p.JoinCounter).
		cstr(&p.Name, MaxFrame).list(&p.Extra, maxJoinExtra).sockAddr(&p.Internal)
}
