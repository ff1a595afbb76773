package w3gs

// RejectReason is why a join is refused.
type RejectReason uint32

// Refusals of 0x05.
const (
	RejectInvalid  RejectReason = 7
	RejectFull     RejectReason = 9
	RejectStarted  RejectReason = 10
	RejectWrongKey RejectReason = 27
)

// SlotInfoJoin (0x04, host to client) opens the lobby to a new player: slot
// table · pid u8 · sockaddr_in of the joiner as the host sees it.
type SlotInfoJoin struct {
	SlotTable
	PID      uint8
	External SockAddr
}

func (p *SlotInfoJoin) Op() Op { return OpSlotInfoJoin }

func (p *SlotInfoJoin) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpSlotInfoJoin)
	dst = p.SlotTable.appendTo(dst)
	dst = append(dst, p.PID)
	return end(p.External.appendTo(dst), at)
}

func (p *SlotInfoJoin) Decode(body []byte) error {
	c := read(OpSlotInfoJoin, body)
	c.slotTable(&p.SlotTable)
	p.PID = c.u8()
	p.External = c.sockAddr()
	return c.done()
}

// RejectJoin (0x05, host to client): reason u32.
type RejectJoin struct {
	Reason RejectReason
}

func (p *RejectJoin) Op() Op { return OpRejectJoin }

func (p *RejectJoin) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpRejectJoin)
	return end(appendU32(dst, uint32(p.Reason)), at)
}

func (p *RejectJoin) Decode(body []byte) error {
	c := read(OpRejectJoin, body)
	p.Reason = RejectReason(c.u32())
	return c.done()
}

// PlayerInfo (0x06, host to client) introduces a player: join counter u32 ·
// pid u8 · name cstr · n u8 · n bytes · external and internal sockaddr_in.
// Zero addresses hide the player's IP from the others.
type PlayerInfo struct {
	JoinCounter uint32
	PID         uint8
	Name        string
	Extra       []byte // one zero byte in classic games
	External    SockAddr
	Internal    SockAddr
}

func (p *PlayerInfo) Op() Op { return OpPlayerInfo }

func (p *PlayerInfo) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpPlayerInfo)
	dst = appendU32(dst, p.JoinCounter)
	dst = append(dst, p.PID)
	dst = appendCstr(dst, p.Name)
	dst = append(appendCount(dst, len(p.Extra)), p.Extra...)
	dst = p.External.appendTo(dst)
	return end(p.Internal.appendTo(dst), at)
}

func (p *PlayerInfo) Decode(body []byte) error {
	c := read(OpPlayerInfo, body)
	p.JoinCounter = c.u32()
	p.PID = c.u8()
	p.Name = c.cstr(MaxFrame)
	p.Extra = c.extra(p.Extra)
	p.External = c.sockAddr()
	p.Internal = c.sockAddr()
	return c.done()
}

// ReqJoin (0x1E, client to host) asks to enter a lobby: game id u32 · entry
// key u32 · u8 0 · listen port u16 · join counter u32 · name cstr · n u8 · n
// bytes · internal sockaddr_in. n is 1 before 1.29 and 2 from then on.
type ReqJoin struct {
	GameID      uint32
	EntryKey    uint32
	Unknown8    uint8 // 0 seen
	ListenPort  uint16
	JoinCounter uint32
	Name        string
	Extra       []byte
	Internal    SockAddr
}

func (p *ReqJoin) Op() Op { return OpReqJoin }

func (p *ReqJoin) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpReqJoin)
	dst = appendU32(dst, p.GameID)
	dst = appendU32(dst, p.EntryKey)
	dst = append(dst, p.Unknown8)
	dst = appendU16(dst, p.ListenPort)
	dst = appendU32(dst, p.JoinCounter)
	dst = appendCstr(dst, p.Name)
	dst = append(appendCount(dst, len(p.Extra)), p.Extra...)
	return end(p.Internal.appendTo(dst), at)
}

// Decode reads the payload. A name over 15 bytes still decodes: refusing it is
// the lobby's business, with a reason the client can show.
func (p *ReqJoin) Decode(body []byte) error {
	c := read(OpReqJoin, body)
	p.GameID = c.u32()
	p.EntryKey = c.u32()
	p.Unknown8 = c.u8()
	p.ListenPort = c.u16()
	p.JoinCounter = c.u32()
	p.Name = c.cstr(MaxFrame)
	p.Extra = c.extra(p.Extra)
	p.Internal = c.sockAddr()
	return c.done()
}

// extra reads the n u8 · n bytes of 0x06 and 0x1E.
func (c *cursor) extra(into []byte) []byte {
	n := int(c.u8())
	if c.err == nil && n > maxJoinExtra {
		c.fail(ErrCount)
	}
	return append(into[:0], c.bytes(c.count(n, 1))...)
}
