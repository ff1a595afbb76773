package w3gs

// ChatFlag says what a chat packet carries.
type ChatFlag uint8

// Chat flags. The four requests carry one byte and only exist in the lobby.
const (
	ChatLobby    ChatFlag = 0x10
	ChatTeam     ChatFlag = 0x11
	ChatColour   ChatFlag = 0x12
	ChatRace     ChatFlag = 0x13
	ChatHandicap ChatFlag = 0x14
	ChatGame     ChatFlag = 0x20
)

// ChatScope is whom a line in the game is for; ScopeSlot + n is the player in
// slot n.
type ChatScope uint32

// Scopes.
const (
	ScopeAll       ChatScope = 0
	ScopeAllies    ChatScope = 1
	ScopeObservers ChatScope = 2 // observers and referees
	ScopeSlot      ChatScope = 3
)

// Chat is the payload that 0x0F, 0x28 and 0x34 share: n u8 · n × to pid · from
// pid u8 · flag u8 · then by flag: 0x10 text cstr; 0x11 to 0x14 one byte; 0x20
// scope u32, text cstr.
type Chat struct {
	To    []uint8
	From  uint8
	Flag  ChatFlag
	Value uint8     // flags 0x11 to 0x14: team, colour, race or handicap
	Scope ChatScope // flag 0x20
	Text  string    // flags 0x10 and 0x20
}

// ChatFromHost (0x0F, host to client) is a line that somebody said.
type ChatFromHost struct{ Chat }

func (p *ChatFromHost) Op() Op { return OpChatFromHost }

func (p *ChatFromHost) AppendTo(dst []byte) []byte { return p.Chat.appendTo(dst, OpChatFromHost) }

func (p *ChatFromHost) Decode(body []byte) error { return p.Chat.decode(OpChatFromHost, body) }

// ChatToHost (0x28, client to host) asks the host to relay a line, or to
// change the sender's slot.
type ChatToHost struct{ Chat }

func (p *ChatToHost) Op() Op { return OpChatToHost }

func (p *ChatToHost) AppendTo(dst []byte) []byte { return p.Chat.appendTo(dst, OpChatToHost) }

func (p *ChatToHost) Decode(body []byte) error { return p.Chat.decode(OpChatToHost, body) }

// ChatFromOthers (0x34, client to client) is a line sent past the host.
type ChatFromOthers struct{ Chat }

func (p *ChatFromOthers) Op() Op { return OpChatFromOthers }

func (p *ChatFromOthers) AppendTo(dst []byte) []byte { return p.Chat.appendTo(dst, OpChatFromOthers) }

func (p *ChatFromOthers) Decode(body []byte) error { return p.Chat.decode(OpChatFromOthers, body) }

func (p *Chat) appendTo(dst []byte, op Op) []byte {
	dst, at := begin(dst, op)
	dst = append(appendCount(dst, len(p.To)), p.To...)
	dst = append(dst, p.From, byte(p.Flag))
	switch p.Flag {
	case ChatTeam, ChatColour, ChatRace, ChatHandicap:
		return end(append(dst, p.Value), at)
	case ChatGame:
		dst = appendU32(dst, uint32(p.Scope))
	}
	return end(appendCstr(dst, p.Text), at)
}

func (p *Chat) decode(op Op, body []byte) error {
	c := read(op, body)
	p.To = append(p.To[:0], c.bytes(c.count(int(c.u8()), 1))...)
	p.From = c.u8()
	p.Flag = ChatFlag(c.u8())
	p.Value, p.Scope, p.Text = 0, 0, ""
	switch p.Flag {
	case ChatLobby:
		p.Text = c.cstr(MaxChatLen)
	case ChatTeam, ChatColour, ChatRace, ChatHandicap:
		p.Value = c.u8()
	case ChatGame:
		p.Scope = ChatScope(c.u32())
		p.Text = c.cstr(MaxChatLen)
	default:
		c.fail(ErrValue)
	}
	return c.done()
}
