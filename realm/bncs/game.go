package bncs

import (
	"net/netip"

	"w3host/protocol/w3gs"
)

// GamePort (0x45, to the realm): TCP port u16, at least 1024. It applies to games listed afterwards.
type GamePort struct{ Port uint16 }

func (*GamePort) ID() ID { return IDGamePort }

func (p *GamePort) fields(c *codec) { c.u16(&p.Port) }

// States of an Advertise. A private game is not listed but can be found by its name.
const (
	StatePublic  uint32 = 0x10
	StatePrivate uint32 = 0x11
	StateFull    uint32 = 0x12 // not listed until it is public again
)

// MaxGameName is the longest name of a listed game, in bytes, that clients display.
const MaxGameName = 31

// Advertise (0x1C, to the realm): state u32 · seconds up u32 · type u16 · sub
// type u16 · 0x3FF u32 · ladder u32 · name str · password str · stat string str.
// Advertise (0x1C, to the realm): state u32 · uptime in seconds u32 · type u16 · subtype u16 · 0x3FF u32 · ladder u32 ·
// name str · password str · stat string str. The realm keeps everything except the state until the game is removed.
type Advertise struct {
	State uint32
	Name  string
	Stat  string // see GameStat
	Saved bool   // a saved game, for which type and subtype together are w3gs.GameTypeSaved
}

func (*Advertise) ID() ID { return IDAdvertise }

func (p *Advertise) fields(c *codec) {
	kind := uint32(0x49<<16 | 1)
	if p.Saved {
		kind = uint32(w3gs.GameTypeSaved)
	}
	c.u32(&p.State)
	c.fixed32(0)
	c.u32(&kind)
	c.fixed32(0x3FF, 0)
	p.Saved = kind == uint32(w3gs.GameTypeSaved)
	c.str(&p.Name)
	c.fixedStr("")
	c.str(&p.Stat)
}

// AdvertiseReply (0x1C, to the client): result u32, 0 if this connection now has a game.
type AdvertiseReply struct{ Result uint32 }

func (*AdvertiseReply) ID() ID { return IDAdvertise }

func (p *AdvertiseReply) fields(c *codec) { c.u32(&p.Result) }

// NotifyJoin (0x22, to the realm): product · version u32 · game name str · password str. Players send it when they join
// a game.
type NotifyJoin struct {
	Product w3gs.Product
	Version uint32
	Name    string
}

func (*NotifyJoin) ID() ID { return IDNotifyJoin }

func (p *NotifyJoin) fields(c *codec) {
	c.u32((*uint32)(&p.Product), &p.Version)
	c.str(&p.Name)
	c.fixedStr("")
}

// ListGames (0x09, to the realm): filter u32 · mask u32 · 0 u32 · maximum u32 · name str · password str · stat string
// str. With a name it asks only for that game.
type ListGames struct{ Name string }

func (*ListGames) ID() ID { return IDListGames }

func (p *ListGames) fields(c *codec) {
	c.fixed32(0xE000, 0, 0, 20)
	c.str(&p.Name)
	c.fixedStr("", "")
}

// ListedGame is an entry of a GameList: type u16 · parameter u16 · language u32 · family u16 · port u16 big-endian ·
// address · 8 bytes · state u32 · uptime in seconds u32 · name str · password str · stat string str.
type ListedGame struct {
	Addr  netip.AddrPort // IPv4
	State uint32         // 4 open, 6 full, 0x0E started
	Name  string
	Stat  string
}

// ListedOpen is the State of a game that can be joined.
const ListedOpen uint32 = 4

func (g *ListedGame) fields(c *codec, kind uint32) {
	family, at := uint16(2), make([]byte, 14)
	if c.writes {
		at[0], at[1] = byte(g.Addr.Port()>>8), byte(g.Addr.Port())
		copy(at[2:], g.Addr.Addr().AsSlice())
	}
	c.fixed32(kind, 0x10000)
	c.u16(&family)
	c.bytes(at)
	c.u32(&g.State)
	c.fixed32(0x2B)
	c.str(&g.Name)
	c.fixedStr("")
	c.str(&g.Stat)
	g.Addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte(at[2:])), uint16(at[0])<<8|uint16(at[1]))
}

// Reasons why a GameList does not contain the requested game.
const (
	StatusNotFound uint32 = 0
	StatusFull     uint32 = 3
	StatusStarted  uint32 = 4
)

// GameList (0x09, to the client): count u32 · entries, or 0 u32 · status u32.
type GameList struct {
	Games  []ListedGame
	Status uint32 // why a game requested by name is missing
}

func (*GameList) ID() ID { return IDListGames }

func (p *GameList) fields(c *codec) {
	const least = 35 // minimum size in bytes of an entry
	n := uint32(len(p.Games))
	c.u32(&n)
	switch {
	case n == 0 && (c.writes || c.more()):
		c.u32(&p.Status)
	case !c.writes && n > uint32(len(c.b)/least):
		c.fail(errCount)
	case !c.writes:
		p.Games = make([]ListedGame, n)
	}
	for i := range p.Games {
		p.Games[i].fields(c, uint32(min(i, 1)))
	}
}
