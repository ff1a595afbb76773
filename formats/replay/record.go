package replay

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"w3host/protocol/w3gs"
)

// IDs of records, document §5.
const (
	recPlayer    = 0x16
	recLeave     = 0x17
	recGameStart = 0x19
	recStart1    = 0x1A
	recStart2    = 0x1B
	recStart3    = 0x1C
	recTurnPart  = 0x1E // 1.02 and before: a turn
	recTurn      = 0x1F
	recChat      = 0x20 // 1.02 and before: a checksum
	recChecksum  = 0x22
	recDesync    = 0x23
	recEndTimer  = 0x2F
)

// Kind is the kind of a record; its ID differs between versions.
type Kind uint8

// Kinds of records, with their layout behind the ID.
const (
	KindStartMark Kind = iota + 1 // u32 1; the three that begin a game
	KindTurn                      // n u16 · increment ms u16 · commands: pid u8 · length u16 · actions
	KindTurnPart                  // like a turn, increment 0: what of the next turn did not fit its packet
	KindChat                      // pid u8 · n u16 · flag u8 · scope u32 (not for flag 0x10) · text cstr
	KindLeave                     // reason u32 · pid u8 · result u32 · counter u32
	KindChecksum                  // n u8 · n bytes: 4 in most files
	KindDesync                    // u32 · u8 4 · checksum u32 · n u8 · n × pid
	KindEndTimer                  // the forced end of a tournament game: over u32 · seconds u32
)

// Record is one of the stream's.
type Record struct {
	ID     byte
	Kind   Kind
	Time   time.Duration // game time before it: the sum of all increments
	Offset int64         // in the stream
	Body   []byte        // what follows the ID; valid until the next record is read

	Increment time.Duration // of turns
	Commands  []byte        // of turns: for w3gs.Actions; part of Body
	Chat      Chat
	Leave     Leave
	Checksum  []byte // part of Body
}

// Chat is a line that the saver of the replay saw.
type Chat struct {
	PID   uint8
	Flag  w3gs.ChatFlag
	Scope w3gs.ChatScope // 0 for flag 0x10, lines of the loading screen
	Text  string
}

// Leave is the end of a player's game.
type Leave struct {
	Reason  LeaveReason
	PID     uint8
	Result  w3gs.LeaveReason // of the player, or of the saver if Reason is LeaveLocal
	Counter uint32           // one more in the last leave can mean that the saver won
}

// LeaveReason says which side's connection was closed.
type LeaveReason uint32

// Leave reasons. Later versions have others.
const (
	LeaveRemote  LeaveReason = 0x01
	LeaveLocal   LeaveReason = 0x0C // by the program that saved the replay
	LeaveRemote2 LeaveReason = 0x0E // rare
)

// appendTo appends the record with its ID.
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

// appendTo appends the record with its ID.
func (l *Leave) appendTo(dst []byte) []byte {
	dst = append(binary.LittleEndian.AppendUint32(append(dst, recLeave), uint32(l.Reason)), l.PID)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(l.Result))
	return binary.LittleEndian.AppendUint32(dst, l.Counter)
}

// kinds are the IDs of 1.03 and later.
var kinds = [256]Kind{
	recStart1: KindStartMark, recStart2: KindStartMark, recStart3: KindStartMark, recTurn: KindTurn, recTurnPart: KindTurnPart,
	recChat: KindChat, recLeave: KindLeave, recChecksum: KindChecksum, recDesync: KindDesync, recEndTimer: KindEndTimer,
}

// kindOf finds what an ID means; 0 if it is not known.
func (p Program) kindOf(id byte) Kind {
	switch {
	case id == recTurnPart && p.early():
		return KindTurn
	case id == recChat && p.early():
		return KindChecksum
	}
	return kinds[id]
}

// bodies are the lengths of bodies: head bytes, of which the last size say how many
// more there are.
var bodies = [...]struct{ head, size int }{
	KindStartMark: {4, 0}, KindTurn: {2, 2}, KindTurnPart: {2, 2}, KindChat: {3, 2}, KindLeave: {13, 0},
	KindChecksum: {1, 1}, KindDesync: {10, 1}, KindEndTimer: {8, 0},
}

// length is that of the whole body, by its head.
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

// decode reads Body by Kind.
func (rec *Record) decode() error {
	u32, b := binary.LittleEndian.Uint32, rec.Body
	switch rec.Kind {
	case KindTurn, KindTurnPart:
		if len(b) < 4 {
			return rec.wrong("a turn of %d bytes", len(b)-2)
		}
		rec.Increment = time.Duration(binary.LittleEndian.Uint16(b[2:])) * time.Millisecond
		rec.Commands = b[4:]
		whole := 0
		for _, data := range w3gs.Actions(rec.Commands) {
			whole += w3gs.ActionPrefix + len(data)
		}
		if whole != len(rec.Commands) {
			return rec.wrong("the commands of a turn do not fill it")
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

// decodeChat joins the several strings that a Chinese platform writes into one
// record.
func (rec *Record) decodeChat() error {
	b := rec.Body
	rec.Chat = Chat{PID: b[0]}
	if len(b) < 5 || b[len(b)-1] != 0 {
		return rec.wrong("a chat line of %d bytes without an end", len(b)-3)
	}
	rec.Chat.Flag = w3gs.ChatFlag(b[3])
	b = b[4:]
	if rec.Chat.Flag != w3gs.ChatLobby {
		if len(b) < 5 {
			return rec.wrong("a chat line without text")
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
