package w3gs

import "fmt"

// Product identifies the game by four letters, held as a big-endian number. On the wire the letters are
// reversed ("PX3W").
type Product uint32

// Warcraft III: The Frozen Throne, and Reign of Chaos.
const (
	ProductTFT Product = 'W'<<24 | '3'<<16 | 'X'<<8 | 'P'
	ProductROC Product = 'W'<<24 | 'A'<<16 | 'R'<<8 | '3'
)

// String returns the four letters.
func (p Product) String() string {
	return string([]byte{byte(p >> 24), byte(p >> 16), byte(p >> 8), byte(p)})
}

// GameType is a bit set that describes a listed game; 0x30 carries it after the slot count.
type GameType uint32

// Bits of GameType. LAN clients need only GameTypeCustom.
const (
	GameTypeCustom      GameType = 0x01 // set for all games except saved ones
	GameTypeSigned      GameType = 0x08 // the map is signed by Blizzard
	GameTypeSaved       GameType = 0x200
	GameTypePrivate     GameType = 0x800
	GameTypeUserMap     GameType = 0x2000
	GameTypeBlizzardMap GameType = 0x4000
	GameTypeMeleeMap    GameType = 0x8000
	GameTypeScenario    GameType = 0x10000
	GameTypeLarge       GameType = 0x80000
	GameTypeObsFull     GameType = 0x100000
	GameTypeObsOnDeath  GameType = 0x200000
	GameTypeObsNone     GameType = 0x400000
)

// SearchGame (0x2F, LAN) asks for games: product u32 · version u32 · game id u32, where 0 means any game.
type SearchGame struct {
	Product Product
	Version uint32
	GameID  uint32
}

func (p *SearchGame) Op() Op                   { return OpSearchGame }
func (p *SearchGame) AppendTo(b []byte) []byte { return p.fields(begin(b, OpSearchGame)).end() }
func (p *SearchGame) Decode(b []byte) error    { return p.fields(read(b, OpSearchGame)).done() }
func (p *SearchGame) fields(c *codec) *codec {
	return c.u32((*uint32)(&p.Product)).u32(&p.Version).u32(&p.GameID)
}

// GameInfo (0x30, LAN) answers a search: product u32 · version u32 · game id u32 · entry key u32 · name cstr
// · password cstr (empty) · encoded stat string · NUL · slots u32 · game type u32 · u32 1 · open slots u32 ·
// seconds since the lobby opened u32 · TCP port u16.
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
	Unknown       uint32 // always 1 in captures
	SlotsOpen     uint32 // slots a player can join; computer slots do not count
	UptimeSeconds uint32
	Port          uint16
}

func (p *GameInfo) Op() Op                   { return OpGameInfo }
func (p *GameInfo) AppendTo(b []byte) []byte { return p.fields(begin(b, OpGameInfo)).end() }
func (p *GameInfo) Decode(b []byte) error    { return p.fields(read(b, OpGameInfo)).done() }

func (p *GameInfo) fields(c *codec) *codec {
	return c.u32((*uint32)(&p.Product)).u32(&p.Version).u32(&p.GameID).u32(&p.EntryKey).
		cstr(&p.Name, MaxChatLen).cstr(&p.Password, MaxChatLen).stat(&p.Stat).
		u32(&p.Slots).u32((*uint32)(&p.Type)).u32(&p.Unknown).u32(&p.SlotsOpen).
		u32(&p.UptimeSeconds).u16(&p.Port)
}

// CreateGame (0x31, LAN) announces a new lobby: product u32 · version u32 · game id u32.
type CreateGame SearchGame

func (p *CreateGame) Op() Op                   { return OpCreateGame }
func (p *CreateGame) AppendTo(b []byte) []byte { return p.fields(begin(b, OpCreateGame)).end() }
func (p *CreateGame) Decode(b []byte) error    { return p.fields(read(b, OpCreateGame)).done() }
func (p *CreateGame) fields(c *codec) *codec   { return (*SearchGame)(p).fields(c) }

// RefreshGame (0x32, LAN) keeps a lobby in the list: game id u32 · players u32 · slots u32.
type RefreshGame struct {
	GameID  uint32
	Players uint32
	Slots   uint32
}

func (p *RefreshGame) Op() Op                   { return OpRefreshGame }
func (p *RefreshGame) AppendTo(b []byte) []byte { return p.fields(begin(b, OpRefreshGame)).end() }
func (p *RefreshGame) Decode(b []byte) error    { return p.fields(read(b, OpRefreshGame)).done() }
func (p *RefreshGame) fields(c *codec) *codec   { return c.u32(&p.GameID).u32(&p.Players).u32(&p.Slots) }

// DecreateGame (0x33, LAN) removes a lobby from the list: game id u32.
type DecreateGame struct {
	GameID uint32
}

func (p *DecreateGame) Op() Op                   { return OpDecreateGame }
func (p *DecreateGame) AppendTo(b []byte) []byte { return p.fields(begin(b, OpDecreateGame)).end() }
func (p *DecreateGame) Decode(b []byte) error    { return p.fields(read(b, OpDecreateGame)).done() }
func (p *DecreateGame) fields(c *codec) *codec   { return c.u32(&p.GameID) }

func (c *codec) stat(s *StatString) *codec {
	if !c.reading {
		c.b = append(s.AppendTo(c.b), 0)
		return c
	}
	var text string
	at := c.at
	if c.cstr(&text, maxStatString); c.err != nil {
		return c
	}
	if err := s.Decode([]byte(text)); err != nil {
		c.failAt(at, fmt.Errorf("stat string: %w", err))
	}
	return c
}
