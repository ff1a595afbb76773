package w3gs

// GameData is the game description that hosts of 1.30 to 2.0 announce by multicast DNS, base64-encoded.
// Layout from 1.32: name cstr · password cstr (empty) · encoded stat string · NUL · slots u32 · game type u32
// · TCP port u16. In 1.30 and 1.31 the game type comes first, and name and password follow the slots.
type GameData struct {
	Name     string
	Password string
	Stat     StatString
	Slots    uint32
	Type     GameType
	Port     uint16
}

// AppendTo appends the data in the layout of version v.
func (p *GameData) AppendTo(b []byte, v Version) []byte {
	return p.fields(&codec{b: b}, v).b
}

// Decode reads data in the layout of version v.
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
