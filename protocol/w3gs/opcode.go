package w3gs

import "fmt"

// Magic is the first byte of every game and LAN packet.
const Magic = 0xF7

// Op is the opcode of a packet: its second byte.
type Op uint8

// All known opcodes, named as in the public protocol documents.
const (
	OpPingFromHost    Op = 0x01
	OpSlotInfoJoin    Op = 0x04
	OpRejectJoin      Op = 0x05
	OpPlayerInfo      Op = 0x06
	OpPlayerLeave     Op = 0x07
	OpGameLoaded      Op = 0x08
	OpSlotInfo        Op = 0x09
	OpCountdownStart  Op = 0x0A
	OpCountdownEnd    Op = 0x0B
	OpIncomingAction  Op = 0x0C
	OpDesync          Op = 0x0D
	OpDesyncUnknown   Op = 0x0E
	OpChatFromHost    Op = 0x0F
	OpStartLag        Op = 0x10
	OpStopLag         Op = 0x11
	OpGameOver        Op = 0x14
	OpLeaveAck        Op = 0x1B
	OpKickPlayer      Op = 0x1C
	OpReqJoin         Op = 0x1E
	OpLeaveGame       Op = 0x21
	OpLoadedSelf      Op = 0x23
	OpOutgoingAction  Op = 0x26
	OpKeepalive       Op = 0x27
	OpChatToHost      Op = 0x28
	OpDropReq         Op = 0x29
	OpSearchGame      Op = 0x2F
	OpGameInfo        Op = 0x30
	OpCreateGame      Op = 0x31
	OpRefreshGame     Op = 0x32
	OpDecreateGame    Op = 0x33
	OpChatFromOthers  Op = 0x34
	OpPingFromOthers  Op = 0x35
	OpPongToOthers    Op = 0x36
	OpClientInfo      Op = 0x37
	OpPeerSet         Op = 0x3B
	OpMapCheck        Op = 0x3D
	OpMapQuery        Op = 0x3E
	OpStartDownload   Op = 0x3F
	OpMapSize         Op = 0x42
	OpMapPart         Op = 0x43
	OpMapPartOK       Op = 0x44
	OpMapPartNotOK    Op = 0x45
	OpPongToHost      Op = 0x46
	OpIncomingAction2 Op = 0x48
	OpPlayerExtra     Op = 0x59
)

// Dir is a bit set of the directions in which a packet may be sent.
type Dir uint8

// Directions of packets.
const (
	FromHost   Dir = 1 << iota // host to client over TCP
	FromClient                 // client to host over TCP
	Peer                       // client to client over TCP
	LAN                        // UDP broadcast or unicast
)

// ops holds each opcode's public name, its directions and a constructor for its packet. A nil constructor
// means Raw, for packets whose content the host never needs.
var ops = [256]struct {
	name  string
	dir   Dir
	empty func() Packet
}{
	OpPingFromHost:    {"PING_FROM_HOST", FromHost, empty[PingFromHost]},
	OpSlotInfoJoin:    {"SLOTINFOJOIN", FromHost, empty[SlotInfoJoin]},
	OpRejectJoin:      {"REJECTJOIN", FromHost, empty[RejectJoin]},
	OpPlayerInfo:      {"PLAYERINFO", FromHost, empty[PlayerInfo]},
	OpPlayerLeave:     {"PLAYERLEAVE_OTHERS", FromHost, empty[PlayerLeave]},
	OpGameLoaded:      {"GAMELOADED_OTHERS", FromHost, empty[GameLoaded]},
	OpSlotInfo:        {"SLOTINFO", FromHost, empty[SlotInfo]},
	OpCountdownStart:  {"COUNTDOWN_START", FromHost, empty[CountdownStart]},
	OpCountdownEnd:    {"COUNTDOWN_END", FromHost, empty[CountdownEnd]},
	OpIncomingAction:  {"INCOMING_ACTION", FromHost, empty[IncomingAction]},
	OpDesync:          {"DESYNC", FromHost, empty[Desync]},
	OpDesyncUnknown:   {"DESYNC_UNKNOWN", FromHost, nil},
	OpChatFromHost:    {"CHAT_FROM_HOST", FromHost, empty[ChatFromHost]},
	OpStartLag:        {"START_LAG", FromHost, empty[StartLag]},
	OpStopLag:         {"STOP_LAG", FromHost, empty[StopLag]},
	OpGameOver:        {"GAME_OVER", FromHost, empty[GameOver]},
	OpLeaveAck:        {"LEAVE_ACK", FromHost, empty[LeaveAck]},
	OpKickPlayer:      {"KICK_PLAYER", FromHost, empty[KickPlayer]},
	OpReqJoin:         {"REQJOIN", FromClient, empty[ReqJoin]},
	OpLeaveGame:       {"LEAVEGAME", FromClient, empty[LeaveGame]},
	OpLoadedSelf:      {"GAMELOADED_SELF", FromClient, empty[LoadedSelf]},
	OpOutgoingAction:  {"OUTGOING_ACTION", FromClient, empty[OutgoingAction]},
	OpKeepalive:       {"OUTGOING_KEEPALIVE", FromClient, empty[Keepalive]},
	OpChatToHost:      {"CHAT_TO_HOST", FromClient, empty[ChatToHost]},
	OpDropReq:         {"DROPREQ", FromClient, empty[DropReq]},
	OpSearchGame:      {"SEARCHGAME", LAN, empty[SearchGame]},
	OpGameInfo:        {"GAMEINFO", LAN, empty[GameInfo]},
	OpCreateGame:      {"CREATEGAME", LAN, empty[CreateGame]},
	OpRefreshGame:     {"REFRESHGAME", LAN, empty[RefreshGame]},
	OpDecreateGame:    {"DECREATEGAME", LAN, empty[DecreateGame]},
	OpChatFromOthers:  {"CHAT_FROM_OTHERS", Peer, nil},
	OpPingFromOthers:  {"PING_FROM_OTHERS", Peer, nil},
	OpPongToOthers:    {"PONG_TO_OTHERS", Peer, nil},
	OpClientInfo:      {"CLIENT_INFO", Peer, nil},
	OpPeerSet:         {"PEER_SET", FromClient, empty[PeerSet]},
	OpMapCheck:        {"MAPCHECK", FromHost, empty[MapCheck]},
	OpMapQuery:        {"MAPQUERY", Peer, nil},
	OpStartDownload:   {"STARTDOWNLOAD", FromHost, empty[StartDownload]},
	OpMapSize:         {"MAPSIZE", FromClient, empty[MapSize]},
	OpMapPart:         {"MAPPART", FromHost, empty[MapPart]},
	OpMapPartOK:       {"MAPPARTOK", FromClient, empty[MapPartOK]},
	OpMapPartNotOK:    {"MAPPARTNOTOK", FromClient, empty[MapPartNotOK]},
	OpPongToHost:      {"PONG_TO_HOST", FromClient, empty[PongToHost]},
	OpIncomingAction2: {"INCOMING_ACTION2", FromHost, empty[IncomingAction2]},
	OpPlayerExtra:     {"PLAYER_EXTRA", FromHost | FromClient, empty[PlayerExtra]},
}

// String returns the public name and the number, for example "SLOTINFO (0x09)".
func (op Op) String() string {
	if ops[op].name == "" {
		return fmt.Sprintf("UNKNOWN (0x%02X)", uint8(op))
	}
	return fmt.Sprintf("%s (0x%02X)", ops[op].name, uint8(op))
}
