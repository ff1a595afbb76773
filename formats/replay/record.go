package replay

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"w3host/protocol/w3gs"
)

// Record IDs; see the document, §5.
const (
	recPlayer    = 0x16
	recLeave     = 0x17
	recGameStart = 0x19
	recStart1    = 0x1A
	recStart2    = 0x1B
	recStart3    = 0x1C
	recTurnPart  = 0x1E // up to 1.02 a turn
	recTurn      = 0x1F
	recChat      = 0x20 // up to 1.02 a checksum
	recChecksum  = 0x22
	recDesync    = 0x23
	recEndTimer  = 0x2F
)

// Kind is the kind of a record. The ID of a kind differs between versions.
type Kind uint8

// Kinds of records, with their layout after the ID.
const (
	KindStartMark Kind = iota + 1 // u32 1; three of them mark the start of a game
	KindTurn                      // n u16 · increment ms u16 · commands: pid u8 · length u16 · actions
	KindTurnPart                  // like a turn with increment 0: actions that did not fit into the packet of the next turn
	KindChat                      // pid u8 · n u16 · flag u8 · scope u32 (absent for flag 0x10) · text cstr
	KindLeave                     // reason u32 · pid u8 · result u32 · counter u32
	KindChecksum                  // n u8 · n bytes: 4 in most files
	KindDesync                    // u32 · u8 4 · checksum u32 · n u8 · n × pid
	KindEndTimer                  // forced end of a tournament game: over u32 · seconds u32
)

// Record is one record of the stream. Which of the decoded fields are set depends on Kind.
type Record struct {
	ID     byte
	Kind   Kind
	Time   time.Duration // game time before the record: the sum of all previous increments
	Offset int64         // byte offset in the stream
	Body   []byte        // bytes after the ID; valid until the next record is read

	Increment time.Duration // turns only
	Commands  []byte        // turns only, for w3gs.Actions; aliases Body
	Chat      Chat
	Leave     Leave
	Checksum  []byte // aliases Body
}

// Chat is a chat line that the recording player saw.
type Chat struct {
	PID   uint8
	Flag  w3gs.ChatFlag
	Scope w3gs.ChatScope // 0 for flag 0x10, which marks lines of the loading screen
	Text  string
}

// Leave records that a player left the game.
type Leave struct {
	Reason  LeaveReason
	PID     uint8
	Result  w3gs.LeaveReason // result of the player who left, or of the recording player if Reason is LeaveLocal
	Counter uint32           // if one higher in the last leave than before, the recording player may have won
}

// LeaveReason tells which side closed the connection.
type LeaveReason uint32

// Leave reasons; later versions use others as well.
const (
	LeaveRemote  LeaveReason = 0x01
	LeaveLocal   LeaveReason = 0x0C // closed by the program that recorded the replay
	LeaveRemote2 LeaveReason = 0x0E // rarely seen
)

// appendTo appends the record, including its ID.
func (c *Chat) appendTo(dst []byte) []byte {
	n := 1 + len(c.Text) + 1
	if c.Flag != w3gs.ChatLobby {
		n += 4
	}
	dst = binary.LittleEndian.AppendUint16(append(dst, recChat, c.PID), uint16(n))
	dst = append(dst, byte(c.Flag))
	if c.Flag != w3gs.ChatLobby {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(c.Scope))
	}
	return append(append(dst, c.Text...), 0)
}

// appendTo appends the record, including its ID.
func (l *Leave) appendTo(dst []byte) []byte {
	dst = append(binary.LittleEndian.AppendUint32(append(dst, recLeave), uint32(l.Reason)), l.PID)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(l.Result))
	return binary.LittleEndian.AppendUint32(dst, l.Counter)
}

// kinds maps the record IDs of 1.03 and later.
var kinds = [256]Kind{
	recStart1: KindStartMark, recStart2: KindStartMark, recStart3: KindStartMark, recTurn: KindTurn, recTurnPart: KindTurnPart,
	recChat: KindChat, recLeave: KindLeave, recChecksum: KindChecksum, recDesync: KindDesync, recEndTimer: KindEndTimer,
}

// kindOf returns the kind of a record ID, or 0 if it is unknown.
func (p Program) kindOf(id byte) Kind {
	switch {
	case id == recTurnPart && p.early():
		return KindTurn
	case id == recChat && p.early():
		return KindChecksum
	}
	return kinds[id]
}

// bodies gives the layout of body lengths by kind: head bytes, of which the last size bytes are the number of
// bytes that follow.
var bodies = [...]struct{ head, size int }{
	KindStartMark: {4, 0}, KindTurn: {2, 2}, KindTurnPart: {2, 2}, KindChat: {3, 2}, KindLeave: {13, 0},
	KindChecksum: {1, 1}, KindDesync: {10, 1}, KindEndTimer: {8, 0},
}

// length returns the length of the whole body, given its first bytes.
func (k Kind) length(head []byte) int {
	n := len(head)
	switch bodies[k].size {
	case 1:
		n += int(head[n-1])
	case 2:
		n += int(binary.LittleEndian.Uint16(head[n-2:]))
	}
	return n
}

// decode fills in the fields for Kind from Body.
func (rec *Record) decode() error {
	u32, b := binary.LittleEndian.Uint32, rec.Body
	switch rec.Kind {
	case KindTurn, KindTurnPart:
		if len(b) < 4 {
			return rec.wrong("truncated turn of %d bytes", len(b)-2)
		}
		rec.Increment = time.Duration(binary.LittleEndian.Uint16(b[2:])) * time.Millisecond
		rec.Commands = b[4:]
		whole := 0
		for _, data := range w3gs.Actions(rec.Commands) {
			whole += w3gs.ActionPrefix + len(data)
		}
		if whole != len(rec.Commands) {
			return rec.wrong("the commands of a turn do not match its length")
		}
	case KindChat:
		return rec.decodeChat()
	case KindLeave:
		rec.Leave = Leave{LeaveReason(u32(b)), b[4], w3gs.LeaveReason(u32(b[5:])), u32(b[9:])}
	case KindChecksum:
		rec.Checksum = b[1:]
	}
	return nil
}

// decodeChat decodes a chat line. It joins texts with embedded NULs, which a Chinese platform writes.
func (rec *Record) decodeChat() error {
	b := rec.Body
	rec.Chat = Chat{PID: b[0]}
	if len(b) < 5 || b[len(b)-1] != 0 {
		return rec.wrong("unterminated chat line of %d bytes", len(b)-3)
	}
	rec.Chat.Flag = w3gs.ChatFlag(b[3])
	b = b[4:]
	if rec.Chat.Flag != w3gs.ChatLobby {
		if len(b) < 5 {
			return rec.wrong("chat line without text")
		}
		rec.Chat.Scope = w3gs.ChatScope(binary.LittleEndian.Uint32(b))
		b = b[4:]
	}
	rec.Chat.Text = strings.ReplaceAll(string(b), "\x00", "")
	return nil
}

func (rec *Record) wrong(format string, args ...any) error {
	return fmt.Errorf("%w: byte %d of the stream: %s", ErrDamaged, rec.Offset, fmt.Sprintf(format, args...))
}
