package w3gs

// GameData describes the game itself in a 0x30, as hosts of 1.30 to 2.0 put it into
// their announcements, in base64. From 1.32 on: name cstr · password cstr (empty) ·
// encoded stat string · NUL · slots u32 · game type u32 · TCP port u16. 1.30 and 1.31
// begin with the game type and have name and password behind the slots.
type GameData struct {
	Name     string
	Password string
	Stat     StatString
	Slots    uint32
	Type     GameType
	Port     uint16
}

// AppendTo appends the layout of a version.
func (p *GameData) AppendTo(b []byte, v Version) []byte {
	return p.fields(&codec{b: b}, v).b
}

// Decode reads the layout of a version.
func (p *GameData) Decode(b []byte, v Version) error {
	return p.fields(read(b, OpGameInfo), v).done()
}

func (p *GameData) fields(c *codec, v Version) *codec {
	if v < ReforgedVersion {
		return c.u32((*uint32)(&p.Type)).stat(&p.Stat).u32(&p.Slots).
			cstr(&p.Name, MaxChatLen).cstr(&p.Password, MaxChatLen).u16(&p.Port)
	}
	return c.cstr(&p.Name, MaxChatLen).cstr(&p.Password, MaxChatLen).stat(&p.Stat).
		u32(&p.Slots).u32((*uint32)(&p.Type)).u16(&p.Port)
}
