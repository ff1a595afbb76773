package w3gs

import "fmt"

// Magic is the first byte of every game and LAN packet.
const Magic = 0xF7

// Op is the second byte of a packet: what it is.
type Op uint8

// Every opcode known, by the names of the public references.
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

// Dir is who may send a packet; some go more than one way.
type Dir uint8

// Directions.
const (
	FromHost   Dir = 1 << iota // host to client, TCP
	FromClient                 // client to host, TCP
	Peer                       // client to client, TCP
	LAN                        // UDP, broadcast or unicast
)

var ops = [256]struct {
	name string
	dir  Dir
}{
	OpPingFromHost:    {"PING_FROM_HOST", FromHost},
	OpSlotInfoJoin:    {"SLOTINFOJOIN", FromHost},
	OpRejectJoin:      {"REJECTJOIN", FromHost},
	OpPlayerInfo:      {"PLAYERINFO", FromHost},
	OpPlayerLeave:     {"PLAYERLEAVE_OTHERS", FromHost},
	OpGameLoaded:      {"GAMELOADED_OTHERS", FromHost},
	OpSlotInfo:        {"SLOTINFO", FromHost},
	OpCountdownStart:  {"COUNTDOWN_START", FromHost},
	OpCountdownEnd:    {"COUNTDOWN_END", FromHost},
	OpIncomingAction:  {"INCOMING_ACTION", FromHost},
	OpDesync:          {"DESYNC", FromHost},
	OpDesyncUnknown:   {"DESYNC_UNKNOWN", FromHost},
	OpChatFromHost:    {"CHAT_FROM_HOST", FromHost},
	OpStartLag:        {"START_LAG", FromHost},
	OpStopLag:         {"STOP_LAG", FromHost},
	OpGameOver:        {"GAME_OVER", FromHost},
	OpLeaveAck:        {"LEAVE_ACK", FromHost},
	OpKickPlayer:      {"KICK_PLAYER", FromHost},
	OpReqJoin:         {"REQJOIN", FromClient},
	OpLeaveGame:       {"LEAVEGAME", FromClient},
	OpLoadedSelf:      {"GAMELOADED_SELF", FromClient},
	OpOutgoingAction:  {"OUTGOING_ACTION", FromClient},
	OpKeepalive:       {"OUTGOING_KEEPALIVE", FromClient},
	OpChatToHost:      {"CHAT_TO_HOST", FromClient},
	OpDropReq:         {"DROPREQ", FromClient},
	OpSearchGame:      {"SEARCHGAME", LAN},
	OpGameInfo:        {"GAMEINFO", LAN},
	OpCreateGame:      {"CREATEGAME", LAN},
	OpRefreshGame:     {"REFRESHGAME", LAN},
	OpDecreateGame:    {"DECREATEGAME", LAN},
	OpChatFromOthers:  {"CHAT_FROM_OTHERS", Peer},
	OpPingFromOthers:  {"PING_FROM_OTHERS", Peer},
	OpPongToOthers:    {"PONG_TO_OTHERS", Peer},
	OpClientInfo:      {"CLIENT_INFO", Peer},
	OpPeerSet:         {"PEER_SET", FromClient},
	OpMapCheck:        {"MAPCHECK", FromHost},
	OpMapQuery:        {"MAPQUERY", Peer},
	OpStartDownload:   {"STARTDOWNLOAD", FromHost},
	OpMapSize:         {"MAPSIZE", FromClient},
	OpMapPart:         {"MAPPART", FromHost},
	OpMapPartOK:       {"MAPPARTOK", FromClient},
	OpMapPartNotOK:    {"MAPPARTNOTOK", FromClient},
	OpPongToHost:      {"PONG_TO_HOST", FromClient},
	OpIncomingAction2: {"INCOMING_ACTION2", FromHost},
	OpPlayerExtra:     {"PLAYER_EXTRA", FromHost | FromClient},
}

// Known reports whether the opcode is in the table.
func (op Op) Known() bool { return ops[op].name != "" }

// Dir returns who may send the packet; zero for an unknown opcode.
func (op Op) Dir() Dir { return ops[op].dir }

// String gives the reference name and the number: "SLOTINFO (0x09)".
func (op Op) String() string {
	if !op.Known() {
		return fmt.Sprintf("UNKNOWN (0x%02X)", uint8(op))
	}
	return fmt.Sprintf("%s (0x%02X)", ops[op].name, uint8(op))
}
