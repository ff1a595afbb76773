package bncs

import (
	"net/netip"

	"w3host/w3gs"
)

// GamePort (0x45, to the realm): TCP port u16, from 1024 on. It counts for games
// that are listed after it.
type GamePort struct{ Port uint16 }

// ID is 0x45.
func (*GamePort) ID() ID { return IDGamePort }

func (p *GamePort) appendBody(dst []byte) []byte { return appendU16(dst, p.Port) }

// Decode reads the body.
func (p *GamePort) Decode(body []byte) error {
	c := cursor{id: IDGamePort, b: body}
	p.Port = c.u16()
	return c.err
}

// States of an Advertise. A private game is not listed, but found by its name.
const (
	StatePublic  uint32 = 0x10
	StatePrivate uint32 = 0x11
	StateFull    uint32 = 0x12 // not listed until it is public again
)

// MaxGameName is the longest name of a listed game that clients show.
const MaxGameName = 31

// Advertise (0x1C, to the realm): state u32 · seconds up u32 · type u16 · sub
// type u16 · 0x3FF u32 · ladder u32 · name str · password str · stat string str.
// The realm keeps all of it but the state until the game is released.
type Advertise struct {
	State uint32
	Name  string
	Stat  string // of GameStat
}

// ID is 0x1C.
func (*Advertise) ID() ID { return IDAdvertise }

func (p *Advertise) appendBody(dst []byte) []byte {
	dst = appendU32(appendU32(dst, p.State), 0)
	dst = appendU16(appendU16(dst, 1), 0x49)
	dst = appendU32(appendU32(dst, 0x3FF), 0)
	return appendStr(appendStr(appendStr(dst, p.Name), ""), p.Stat)
}

// Decode reads the body.
func (p *Advertise) Decode(body []byte) error {
	c := cursor{id: IDAdvertise, b: body}
	p.State = c.u32()
	c.bytes(16)
	p.Name = c.str()
	c.str()
	p.Stat = c.str()
	return c.err
}

// AdvertiseReply (0x1C, to the client): result u32, 0 when this connection has a
// game.
type AdvertiseReply struct{ Result uint32 }

// ID is 0x1C.
func (*AdvertiseReply) ID() ID { return IDAdvertise }

func (p *AdvertiseReply) appendBody(dst []byte) []byte { return appendU32(dst, p.Result) }

// Decode reads the body.
func (p *AdvertiseReply) Decode(body []byte) error {
	c := cursor{id: IDAdvertise, b: body}
	p.Result = c.u32()
	return c.err
}

// NotifyJoin (0x22, to the realm): product · version u32 · game name str ·
// password str. Players send it when they join a game.
type NotifyJoin struct {
	Product w3gs.Product
	Version uint32
	Name    string
}

// ID is 0x22.
func (*NotifyJoin) ID() ID { return IDNotifyJoin }

func (p *NotifyJoin) appendBody(dst []byte) []byte {
	dst = appendU32(appendU32(dst, uint32(p.Product)), p.Version)
	return appendStr(appendStr(dst, p.Name), "")
}

// Decode reads the body.
func (p *NotifyJoin) Decode(body []byte) error {
	c := cursor{id: IDNotifyJoin, b: body}
	p.Product, p.Version, p.Name = w3gs.Product(c.u32()), c.u32(), c.str()
	c.str()
	return c.err
}

// ListGames (0x09, to the realm): filter u32 · mask u32 · 0 u32 · wanted u32 ·
// name str · password str · stat string str. A name asks for that game alone.
type ListGames struct{ Name string }

// ID is 0x09.
func (*ListGames) ID() ID { return IDListGames }

func (p *ListGames) appendBody(dst []byte) []byte {
	dst = appendU32(appendU32(dst, 0xE000), 0)
	dst = appendU32(appendU32(dst, 0), 20)
	return append(appendStr(dst, p.Name), 0, 0)
}

// Decode reads the body.
func (p *ListGames) Decode(body []byte) error {
	c := cursor{id: IDListGames, b: body}
	c.bytes(16)
	p.Name = c.str()
	c.str()
	c.str()
	return c.err
}

// ListedGame is an entry of a GameList: type u16 · parameter u16 · language u32 ·
// family u16 · port u16 big-endian · address · 8 bytes · state u32 · seconds up
// u32 · name str · password str · stat string str.
type ListedGame struct {
	Addr  netip.AddrPort // IPv4
	State uint32         // 4 open, 6 full, 0x0E started
	Name  string
	Stat  string
}

// ListedOpen is the state of a ListedGame that can be joined.
const ListedOpen uint32 = 4

// GameList (0x09, to the client): count u32 · entries, or 0 u32 · status u32.
type GameList struct {
	Games  []ListedGame
	Status uint32 // why a named game is not given: 0 not found, 3 full, 4 started
}

// ID is 0x09.
func (*GameList) ID() ID { return IDListGames }

func (p *GameList) appendBody(dst []byte) []byte {
	dst = appendU32(dst, uint32(len(p.Games)))
	if len(p.Games) == 0 {
		return appendU32(dst, p.Status)
	}
	for i, g := range p.Games {
		dst = appendU16(appendU16(dst, uint16(min(i, 1))), 0)
		dst = appendU16(appendU32(dst, 0x10000), 2)
		dst = append(dst, byte(g.Addr.Port()>>8), byte(g.Addr.Port()))
		dst = append(append(dst, g.Addr.Addr().AsSlice()...), 0, 0, 0, 0, 0, 0, 0, 0)
		dst = appendU32(appendU32(dst, g.State), 0x2B)
		dst = append(appendStr(dst, g.Name), 0)
		dst = appendStr(dst, g.Stat)
	}
	return dst
}

// Decode reads the body.
func (p *GameList) Decode(body []byte) error {
	const least = 35 // bytes of an entry with empty strings
	c := cursor{id: IDListGames, b: body}
	n := c.u32()
	p.Games, p.Status = nil, 0
	if n == 0 && len(c.b) > 0 {
		p.Status = c.u32()
	}
	if n > uint32(len(c.b)/least) {
		c.fail(errCount)
	}
	for range n {
		if c.err != nil {
			break
		}
		var g ListedGame
		c.bytes(10)
		port := c.bytes(2)
		addr := c.bytes(4)
		c.bytes(8)
		g.State = c.u32()
		c.u32()
		g.Name = c.str()
		c.str()
		g.Stat = c.str()
		if c.err == nil {
			g.Addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte(addr)), uint16(port[0])<<8|uint16(port[1]))
			p.Games = append(p.Games, g)
		}
	}
	return c.err
}
