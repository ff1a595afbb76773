package bncs

// Empty is a frame without a body.
type Empty ID

func (p Empty) ID() ID { return ID(p) }

func (Empty) fields(*codec) {}

// Ping (0x25, both ways): ticks of the server u32, echoed unchanged.
type Ping struct{ Tick uint32 }

func (*Ping) ID() ID { return IDPing }

func (p *Ping) fields(c *codec) { c.u32(&p.Tick) }

// EnterChat (0x0A, to the realm): name str · stat string str, both empty.
type EnterChat struct{}

func (*EnterChat) ID() ID { return IDEnterChat }

func (*EnterChat) fields(c *codec) { c.fixedStr("", "") }

// EnterChatReply (0x0A, to the client): unique name str · stat string str ·
// account str.
type EnterChatReply struct{ Name, Stat, Account string }

func (*EnterChatReply) ID() ID { return IDEnterChat }

func (p *EnterChatReply) fields(c *codec) { c.str(&p.Name, &p.Stat, &p.Account) }

// ChannelCreate is a flag of JoinChannel: the channel need not exist.
const ChannelCreate uint32 = 2

// JoinChannel (0x0C, to the realm): flag u32, 0 for channels that exist, 1 for the
// product's first, or ChannelCreate · channel str. It also releases the game that
// the connection lists.
type JoinChannel struct {
	Flag    uint32
	Channel string
}

func (*JoinChannel) ID() ID { return IDJoinChannel }

func (p *JoinChannel) fields(c *codec) {
	c.u32(&p.Flag)
	c.str(&p.Channel)
}

// Chat (0x0E, to the realm): text str. A leading "/" makes it a command.
type Chat struct{ Text string }

// MaxChat is the longest text of a 0x0E; a longer one is dropped silently.
const MaxChat = 255

func (*Chat) ID() ID { return IDChat }

func (p *Chat) fields(c *codec) { c.str(&p.Text) }

// EventID is the kind of a ChatEvent.
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

func (*ChatEvent) ID() ID { return IDChatEvent }

func (p *ChatEvent) fields(c *codec) {
	const filler = 0xBAADF00D
	c.u32((*uint32)(&p.Event), &p.Flags, &p.Ping)
	c.fixed32(0, filler, filler)
	c.str(&p.Name, &p.Text)
}
