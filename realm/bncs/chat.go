package bncs

// Empty is a frame without a body.
type Empty ID

func (p Empty) ID() ID { return ID(p) }

func (Empty) fields(*codec) {}

// Ping (0x25, both ways): server's tick count u32, which the client sends back.
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

// ChannelCreate as the flag of JoinChannel creates the channel if necessary.
const ChannelCreate uint32 = 2

// JoinChannel (0x0C, to the realm): flag u32 (0 for existing channels, 1 for the product's default channel, or
// ChannelCreate) · channel str. It also removes the game that the connection lists.
type JoinChannel struct {
	Flag    uint32
	Channel string
}

func (*JoinChannel) ID() ID { return IDJoinChannel }

func (p *JoinChannel) fields(c *codec) {
	c.u32(&p.Flag)
	c.str(&p.Channel)
}

// Chat (0x0E, to the realm): text str, at most MaxChat bytes. A leading "/" makes it a command.
type Chat struct{ Text string }

// MaxChat is the maximum length of the text of a 0x0E; servers silently drop longer ones.
const MaxChat = 255

func (*Chat) ID() ID { return IDChat }

func (p *Chat) fields(c *codec) { c.str(&p.Text) }

// EventID is the kind of a ChatEvent.
type EventID uint32

// The events of 0x0F that this package's users handle.
const (
	EventUser        EventID = 0x01 // is already in the channel
	EventWhisper     EventID = 0x04
	EventTalk        EventID = 0x05
	EventChannel     EventID = 0x07 // the client is now in this channel
	EventWhisperSent EventID = 0x0A
	EventInfo        EventID = 0x12
	EventError       EventID = 0x13 // also used for greetings
)

// ChatEvent (0x0F, to the client): event u32 · flags u32 · ping u32 · 12 unused bytes · name str · text str.
type ChatEvent struct {
	Event EventID
	Flags uint32
	Ping  uint32 // in milliseconds
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
