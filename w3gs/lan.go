package w3gs

import "fmt"

// Product is the game, as its four letters read as a big-endian number; the
// wire has them reversed ("PX3W").
type Product uint32

// Products.
const (
	ProductTFT Product = 'W'<<24 | '3'<<16 | 'X'<<8 | 'P'
	ProductROC Product = 'W'<<24 | 'A'<<16 | 'R'<<8 | '3'
)

// String gives the four letters.
func (p Product) String() string {
	return string([]byte{byte(p >> 24), byte(p >> 16), byte(p >> 8), byte(p)})
}

// GameType is the u32 after the slot count of a 0x30.
type GameType uint32

// Game type bits; LAN clients need only GameTypeCustom.
const (
	GameTypeCustom      GameType = 0x01 // always set, except for saved games
	GameTypeSigned      GameType = 0x08 // map signed by Blizzard
	GameTypeMelee       GameType = 0x20
	GameTypeSaved       GameType = 0x200
	GameTypePrivate     GameType = 0x800
	GameTypeUserMap     GameType = 0x2000
	GameTypeBlizzardMap GameType = 0x4000
	GameTypeMeleeMap    GameType = 0x8000
	GameTypeScenario    GameType = 0x10000
	GameTypeSmall       GameType = 0x20000
	GameTypeMedium      GameType = 0x40000
	GameTypeLarge       GameType = 0x80000
	GameTypeObsFull     GameType = 0x100000
	GameTypeObsOnDeath  GameType = 0x200000
	GameTypeObsNone     GameType = 0x400000
)

// SearchGame (0x2F, LAN) asks for games: product u32 · version u32 · game id
// u32, 0 for any.
type SearchGame struct {
	Product Product
	Version uint32
	GameID  uint32
}

func (p *SearchGame) Op() Op { return OpSearchGame }

func (p *SearchGame) AppendTo(dst []byte) []byte {
	return appendThree(dst, OpSearchGame, uint32(p.Product), p.Version, p.GameID)
}

func (p *SearchGame) Decode(body []byte) error {
	c := read(OpSearchGame, body)
	p.Product = Product(c.u32())
	p.Version = c.u32()
	p.GameID = c.u32()
	return c.done()
}

// GameInfo (0x30, LAN) answers a search: product u32 · version u32 · game id
// u32 · entry key u32 · name cstr · password cstr (empty) · encoded stat string
// · NUL · slots u32 · game type u32 · u32 1 · slots open u32 · seconds since
// the lobby opened u32 · TCP port u16.
type GameInfo struct {
	Product       Product
	Version       uint32
	GameID        uint32
	EntryKey      uint32
	Name          string
	Password      string
	Stat          StatString
	Slots         uint32
	Type          GameType
	Unknown       uint32 // 1 seen
	SlotsOpen     uint32 // slots that can be joined; computer slots are out
	UptimeSeconds uint32
	Port          uint16
}

func (p *GameInfo) Op() Op { return OpGameInfo }

func (p *GameInfo) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpGameInfo)
	dst = appendU32(appendU32(dst, uint32(p.Product)), p.Version)
	dst = appendU32(appendU32(dst, p.GameID), p.EntryKey)
	dst = appendCstr(appendCstr(dst, p.Name), p.Password)
	dst = append(p.Stat.AppendTo(dst), 0)
	dst = appendU32(appendU32(dst, p.Slots), uint32(p.Type))
	dst = appendU32(appendU32(dst, p.Unknown), p.SlotsOpen)
	return end(appendU16(appendU32(dst, p.UptimeSeconds), p.Port), at)
}

func (p *GameInfo) Decode(body []byte) error {
	c := read(OpGameInfo, body)
	p.Product = Product(c.u32())
	p.Version = c.u32()
	p.GameID = c.u32()
	p.EntryKey = c.u32()
	p.Name = c.cstr(MaxChatLen)
	p.Password = c.cstr(MaxChatLen)
	statAt := c.at
	stat := c.cstr(maxStatString)
	if c.err == nil {
		if err := p.Stat.Decode([]byte(stat)); err != nil {
			c.failAt(statAt, fmt.Errorf("stat string: %w", err))
		}
	}
	p.Slots = c.u32()
	p.Type = GameType(c.u32())
	p.Unknown = c.u32()
	p.SlotsOpen = c.u32()
	p.UptimeSeconds = c.u32()
	p.Port = c.u16()
	return c.done()
}

// CreateGame (0x31, LAN) announces a lobby: product u32 · version u32 · game
// id u32.
type CreateGame struct {
	Product Product
	Version uint32
	GameID  uint32
}

func (p *CreateGame) Op() Op { return OpCreateGame }

func (p *CreateGame) AppendTo(dst []byte) []byte {
	return appendThree(dst, OpCreateGame, uint32(p.Product), p.Version, p.GameID)
}

func (p *CreateGame) Decode(body []byte) error {
	c := read(OpCreateGame, body)
	p.Product = Product(c.u32())
	p.Version = c.u32()
	p.GameID = c.u32()
	return c.done()
}

// RefreshGame (0x32, LAN) keeps a lobby listed: game id u32 · players u32 ·
// slots u32.
type RefreshGame struct {
	GameID  uint32
	Players uint32
	Slots   uint32
}

func (p *RefreshGame) Op() Op { return OpRefreshGame }

func (p *RefreshGame) AppendTo(dst []byte) []byte {
	return appendThree(dst, OpRefreshGame, p.GameID, p.Players, p.Slots)
}

func (p *RefreshGame) Decode(body []byte) error {
	c := read(OpRefreshGame, body)
	p.GameID = c.u32()
	p.Players = c.u32()
	p.Slots = c.u32()
	return c.done()
}

// DecreateGame (0x33, LAN) takes a lobby off the list: game id u32.
type DecreateGame struct {
	GameID uint32
}

func (p *DecreateGame) Op() Op { return OpDecreateGame }

func (p *DecreateGame) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpDecreateGame)
	return end(appendU32(dst, p.GameID), at)
}

func (p *DecreateGame) Decode(body []byte) error {
	c := read(OpDecreateGame, body)
	p.GameID = c.u32()
	return c.done()
}

func appendThree(dst []byte, op Op, a, b, d uint32) []byte {
	dst, at := begin(dst, op)
	return end(appendU32(appendU32(appendU32(dst, a), b), d), at)
}
