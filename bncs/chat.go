package bncs

// Empty is a frame without a body.
type Empty ID

// ID is the frame's.
func (p Empty) ID() ID { return ID(p) }

func (Empty) appendBody(dst []byte) []byte { return dst }

// Ping (0x25, both ways): ticks of the server u32, echoed as they are.
type Ping struct{ Tick uint32 }

// ID is 0x25.
func (*Ping) ID() ID { return IDPing }

func (p *Ping) appendBody(dst []byte) []byte { return appendU32(dst, p.Tick) }

// Decode reads the body.
func (p *Ping) Decode(body []byte) error {
	c := cursor{id: IDPing, b: body}
	p.Tick = c.u32()
	return c.err
}

// EnterChat (0x0A, to the realm): name str · stat string str, both empty.
type EnterChat struct{}

// ID is 0x0A.
func (*EnterChat) ID() ID { return IDEnterChat }

func (*EnterChat) appendBody(dst []byte) []byte { return append(dst, 0, 0) }

// EnterChatReply (0x0A, to the client): unique name str · stat string str ·
// account str.
type EnterChatReply struct{ Name, Stat, Account string }

// ID is 0x0A.
func (*EnterChatReply) ID() ID { return IDEnterChat }

func (p *EnterChatReply) appendBody(dst []byte) []byte {
	return appendStr(appendStr(appendStr(dst, p.Name), p.Stat), p.Account)
}

// Decode reads the body.
func (p *EnterChatReply) Decode(body []byte) error {
	c := cursor{id: IDEnterChat, b: body}
	p.Name, p.Stat, p.Account = c.str(), c.str(), c.str()
	return c.err
}

// ChannelCreate is a flag of JoinChannel: the channel need not exist.
const ChannelCreate uint32 = 2

// JoinChannel (0x0C, to the realm): flag u32, 0 for channels that exist, 1 for the
// product's first, or ChannelCreate · channel str. It also releases the game that
// the connection lists.
type JoinChannel struct {
	Flag    uint32
	Channel string
}

// ID is 0x0C.
func (*JoinChannel) ID() ID { return IDJoinChannel }

func (p *JoinChannel) appendBody(dst []byte) []byte {
	return appendStr(appendU32(dst, p.Flag), p.Channel)
}

// Decode reads the body.
func (p *JoinChannel) Decode(body []byte) error {
	c := cursor{id: IDJoinChannel, b: body}
	p.Flag, p.Channel = c.u32(), c.str()
	return c.err
}

// Chat (0x0E, to the realm): text str. A leading "/" makes it a command.
type Chat struct{ Text string }

// MaxChat is the longest text of a 0x0E; a longer one is dropped silently.
const MaxChat = 255

// ID is 0x0E.
func (*Chat) ID() ID { return IDChat }

func (p *Chat) appendBody(dst []byte) []byte { return appendStr(dst, p.Text) }

// Decode reads the body.
func (p *Chat) Decode(body []byte) error {
	c := cursor{id: IDChat, b: body}
	p.Text = c.str()
	return c.err
}

// EventID says what a ChatEvent tells.
type EventID uint32

// Events of 0x0F that matter here.
const (
	EventUser        EventID = 0x01 // is in the channel already
	EventWhisper     EventID = 0x04
	EventTalk        EventID = 0x05
	EventChannel     EventID = 0x07 // the client is in this channel now
	EventWhisperSent EventID = 0x0A
	EventInfo        EventID = 0x12
	EventError       EventID = 0x13 // also greetings
)

// ChatEvent (0x0F, to the client): event u32 · flags u32 · ping u32 · 12 bytes
// without a meaning · name str · text str.
type ChatEvent struct {
	Event EventID
	Flags uint32
	Ping  uint32 // ms
	Name  string
	Text  string
}

// ID is 0x0F.
func (*ChatEvent) ID() ID { return IDChatEvent }

func (p *ChatEvent) appendBody(dst []byte) []byte {
	const filler = 0xBAADF00D
	for _, v := range []uint32{uint32(p.Event), p.Flags, p.Ping, 0, filler, filler} {
		dst = appendU32(dst, v)
	}
	return appendStr(appendStr(dst, p.Name), p.Text)
}

// Decode reads the body.
func (p *ChatEvent) Decode(body []byte) error {
	c := cursor{id: IDChatEvent, b: body}
	p.Event, p.Flags, p.Ping = EventID(c.u32()), c.u32(), c.u32()
	c.bytes(12)
	p.Name, p.Text = c.str(), c.str()
	return c.err
}
