package w3gs

// ChatFlag is the kind of a chat packet.
type ChatFlag uint8

// ChatTeam to ChatHandicap are slot change requests: they carry one byte instead of text and occur only in
// the lobby.
const (
	ChatLobby    ChatFlag = 0x10
	ChatTeam     ChatFlag = 0x11
	ChatColour   ChatFlag = 0x12
	ChatRace     ChatFlag = 0x13
	ChatHandicap ChatFlag = 0x14
	ChatGame     ChatFlag = 0x20
)

// ChatScope is the audience of an in-game chat line. ScopeSlot + n addresses the player in slot n, counted
// from 0.
type ChatScope uint32

// Audiences of in-game chat.
const (
	ScopeAll       ChatScope = 0
	ScopeAllies    ChatScope = 1
	ScopeObservers ChatScope = 2 // observers and referees
	ScopeSlot      ChatScope = 3
)

// Chat is the payload shared by 0x0F and 0x28: n u8 · n × recipient pid u8 · sender pid u8 · flag u8 · then
// by flag: text cstr for 0x10; one byte for 0x11 to 0x14; scope u32 and text cstr for 0x20.
type Chat struct {
	To    []uint8
	From  uint8
	Flag  ChatFlag
	Value uint8     // new team, colour, race or handicap; flags 0x11 to 0x14
	Scope ChatScope // flag 0x20 only
	Text  string    // flags 0x10 and 0x20; at most MaxChatLen bytes
}

func (p *Chat) fields(c *codec) *codec {
	c.list(&p.To, 255).u8(&p.From).u8((*uint8)(&p.Flag))
	if c.reading {
		p.Value, p.Scope, p.Text = 0, 0, ""
	}
	switch p.Flag {
	case ChatLobby:
	case ChatTeam, ChatColour, ChatRace, ChatHandicap:
		return c.u8(&p.Value)
	case ChatGame:
		c.u32((*uint32)(&p.Scope))
	default:
		c.fail(ErrValue)
	}
	return c.cstr(&p.Text, MaxChatLen)
}

// ChatFromHost (0x0F, host to client) delivers a player's chat line.
type ChatFromHost struct{ Chat }

func (p *ChatFromHost) Op() Op                   { return OpChatFromHost }
func (p *ChatFromHost) AppendTo(b []byte) []byte { return p.fields(begin(b, OpChatFromHost)).end() }
func (p *ChatFromHost) Decode(b []byte) error    { return p.fields(read(b, OpChatFromHost)).done() }

// ChatToHost (0x28, client to host) asks the host to relay a chat line or to change the sender's slot.
type ChatToHost struct{ Chat }

func (p *ChatToHost) Op() Op                   { return OpChatToHost }
func (p *ChatToHost) AppendTo(b []byte) []byte { return p.fields(begin(b, OpChatToHost)).end() }
func (p *ChatToHost) Decode(b []byte) error    { return p.fields(read(b, OpChatToHost)).done() }
