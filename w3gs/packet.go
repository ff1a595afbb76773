package w3gs

// Packet is one message: it knows its opcode, appends its whole frame, and
// reads itself back from a payload.
type Packet interface {
	Op() Op
	AppendTo(dst []byte) []byte // the whole frame, header included
	Decode(body []byte) error   // body is the frame without its 4-byte header
}

// Raw is a packet whose payload nobody has explained (0x0E, 0x3E, 0x59). It is
// carried and skipped, never interpreted.
type Raw struct {
	ID   Op
	Body []byte
}

// Op returns the opcode the packet came with.
func (p *Raw) Op() Op { return p.ID }

func (p *Raw) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, p.ID)
	return end(append(dst, p.Body...), at)
}

// Decode copies the payload.
func (p *Raw) Decode(body []byte) error {
	p.Body = append(p.Body[:0], body...)
	return nil
}

// fromClient makes the packets that a client may send to a host over TCP.
var fromClient = [256]func() Packet{
	OpReqJoin:        func() Packet { return new(ReqJoin) },
	OpLeaveGame:      func() Packet { return new(LeaveGame) },
	OpLoadedSelf:     func() Packet { return new(LoadedSelf) },
	OpOutgoingAction: func() Packet { return new(OutgoingAction) },
	OpKeepalive:      func() Packet { return new(Keepalive) },
	OpChatToHost:     func() Packet { return new(ChatToHost) },
	OpDropReq:        func() Packet { return new(DropReq) },
	OpPeerSet:        func() Packet { return new(PeerSet) },
	OpMapSize:        func() Packet { return new(MapSize) },
	OpMapPartOK:      func() Packet { return new(MapPartOK) },
	OpMapPartNotOK:   func() Packet { return new(MapPartNotOK) },
	OpPongToHost:     func() Packet { return new(PongToHost) },
	OpPlayerExtra:    func() Packet { return &Raw{ID: OpPlayerExtra} },
}

// fromHost makes the packets that a host may send to a client over TCP.
var fromHost = [256]func() Packet{
	OpPingFromHost:    func() Packet { return new(PingFromHost) },
	OpSlotInfoJoin:    func() Packet { return new(SlotInfoJoin) },
	OpRejectJoin:      func() Packet { return new(RejectJoin) },
	OpPlayerInfo:      func() Packet { return new(PlayerInfo) },
	OpPlayerLeave:     func() Packet { return new(PlayerLeave) },
	OpGameLoaded:      func() Packet { return new(GameLoaded) },
	OpSlotInfo:        func() Packet { return new(SlotInfo) },
	OpCountdownStart:  func() Packet { return new(CountdownStart) },
	OpCountdownEnd:    func() Packet { return new(CountdownEnd) },
	OpIncomingAction:  func() Packet { return new(IncomingAction) },
	OpDesync:          func() Packet { return new(Desync) },
	OpDesyncUnknown:   func() Packet { return &Raw{ID: OpDesyncUnknown} },
	OpChatFromHost:    func() Packet { return new(ChatFromHost) },
	OpStartLag:        func() Packet { return new(StartLag) },
	OpStopLag:         func() Packet { return new(StopLag) },
	OpGameOver:        func() Packet { return new(GameOver) },
	OpLeaveAck:        func() Packet { return new(LeaveAck) },
	OpKickPlayer:      func() Packet { return new(KickPlayer) },
	OpMapCheck:        func() Packet { return new(MapCheck) },
	OpStartDownload:   func() Packet { return new(StartDownload) },
	OpMapPart:         func() Packet { return new(MapPart) },
	OpIncomingAction2: func() Packet { return new(IncomingAction2) },
	OpPlayerExtra:     func() Packet { return &Raw{ID: OpPlayerExtra} },
}

// overLAN makes the packets that travel as UDP datagrams.
var overLAN = [256]func() Packet{
	OpSearchGame:   func() Packet { return new(SearchGame) },
	OpGameInfo:     func() Packet { return new(GameInfo) },
	OpCreateGame:   func() Packet { return new(CreateGame) },
	OpRefreshGame:  func() Packet { return new(RefreshGame) },
	OpDecreateGame: func() Packet { return new(DecreateGame) },
}

// betweenPeers makes the packets that clients send each other.
var betweenPeers = [256]func() Packet{
	OpChatFromOthers: func() Packet { return new(ChatFromOthers) },
	OpPingFromOthers: func() Packet { return new(PingFromOthers) },
	OpPongToOthers:   func() Packet { return new(PongToOthers) },
	OpClientInfo:     func() Packet { return new(ClientInfo) },
	OpMapQuery:       func() Packet { return &Raw{ID: OpMapQuery} },
}

// New makes an empty packet for an opcode that the given side may send, nil
// for any other.
func New(op Op, dir Dir) Packet {
	var table *[256]func() Packet
	switch dir {
	case FromHost:
		table = &fromHost
	case FromClient:
		table = &fromClient
	case Peer:
		table = &betweenPeers
	case LAN:
		table = &overLAN
	default:
		return nil
	}
	if table[op] == nil {
		return nil
	}
	return table[op]()
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
