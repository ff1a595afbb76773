package bncs

import "w3host/w3gs"

// platform is the tag IX86.
const platform = 0x49583836

// AuthInfo (0x50, to the realm): protocol u32 0 · platform · product · version
// id u32 · language tag · local address u32 · time zone u32 · locale u32 ·
// language u32 · country code str · country name str.
type AuthInfo struct {
	Product  w3gs.Product
	Version  uint32 // 0x1A is 1.26
	Language string // enUS
}

// ID is 0x50.
func (*AuthInfo) ID() ID { return IDAuthInfo }

func (p *AuthInfo) appendBody(dst []byte) []byte {
	const usEnglish = 0x0409
	dst = appendU32(dst, 0)
	dst = appendU32(dst, platform)
	dst = appendU32(dst, uint32(p.Product))
	dst = appendU32(dst, p.Version)
	dst = appendTag(dst, p.Language)
	dst = appendU32(dst, 0)
	dst = appendU32(dst, 0)
	dst = appendU32(dst, usEnglish)
	dst = appendU32(dst, usEnglish)
	return appendStr(appendStr(dst, "USA"), "United States")
}

// Decode reads the body.
func (p *AuthInfo) Decode(body []byte) error {
	c := cursor{id: IDAuthInfo, b: body}
	c.bytes(8)
	p.Product = w3gs.Product(c.u32())
	p.Version = c.u32()
	p.Language = c.tag()
	c.bytes(16)
	c.str()
	c.str()
	return c.err
}

func appendTag(dst []byte, tag string) []byte {
	for i := 3; i >= 0; i-- {
		b := byte(0)
		if i < len(tag) {
			b = tag[i]
		}
		dst = append(dst, b)
	}
	return dst
}

func (c *cursor) tag() string {
	b := c.bytes(4)
	if b == nil {
		return ""
	}
	return string([]byte{b[3], b[2], b[1], b[0]})
}

// AuthInfoReply (0x50, to the client): log-on type u32 · server token u32 ·
// session u32 · file time u64 · file name str · formula str, and a signature
// that PvPGN leaves empty.
type AuthInfoReply struct {
	LogonType   uint32 // 2; says nothing of the proof that the account takes
	ServerToken uint32
	File        string
	Formula     string
}

// ID is 0x50.
func (*AuthInfoReply) ID() ID { return IDAuthInfo }

func (p *AuthInfoReply) appendBody(dst []byte) []byte {
	dst = appendU32(appendU32(dst, p.LogonType), p.ServerToken)
	dst = append(dst, make([]byte, 12)...)
	dst = appendStr(appendStr(dst, p.File), p.Formula)
	return append(dst, make([]byte, 128)...)
}

// Decode reads the body.
func (p *AuthInfoReply) Decode(body []byte) error {
	c := cursor{id: IDAuthInfo, b: body}
	p.LogonType, p.ServerToken = c.u32(), c.u32()
	c.bytes(12)
	p.File, p.Formula = c.str(), c.str()
	return c.err
}

// AuthCheck (0x51, to the realm): client token u32 · exe version u32 · exe hash
// u32 · number of keys u32 · spawn u32 · keys of 36 bytes · exe info str · key
// owner str. PvPGN does not look at keys; none are sent.
type AuthCheck struct {
	Token uint32
	Exe   Exe
	Owner string
}

// ID is 0x51.
func (*AuthCheck) ID() ID { return IDAuthCheck }

func (p *AuthCheck) appendBody(dst []byte) []byte {
	for _, v := range []uint32{p.Token, p.Exe.Version, p.Exe.Hash, 0, 0} {
		dst = appendU32(dst, v)
	}
	return appendStr(appendStr(dst, p.Exe.Info), p.Owner)
}

// Decode reads the body. Keys are skipped.
func (p *AuthCheck) Decode(body []byte) error {
	const keySize = 36
	c := cursor{id: IDAuthCheck, b: body}
	p.Token, p.Exe.Version, p.Exe.Hash = c.u32(), c.u32(), c.u32()
	keys := c.u32()
	c.u32()
	if keys > MaxFrame/keySize {
		c.fail(errCount)
		return c.err
	}
	c.bytes(int(keys) * keySize)
	p.Exe.Info, p.Owner = c.str(), c.str()
	return c.err
}

// Results of 0x51.
const (
	VersionAccepted uint32 = 0
	VersionRefused  uint32 = 0x101
)

// AuthCheckReply (0x51, to the client): result u32 · text str.
type AuthCheckReply struct {
	Result uint32
	Text   string
}

// ID is 0x51.
func (*AuthCheckReply) ID() ID { return IDAuthCheck }

func (p *AuthCheckReply) appendBody(dst []byte) []byte {
	return appendStr(appendU32(dst, p.Result), p.Text)
}

// Decode reads the body.
func (p *AuthCheckReply) Decode(body []byte) error {
	c := cursor{id: IDAuthCheck, b: body}
	p.Result = c.u32()
	if len(c.b) > 0 {
		p.Text = c.str()
	}
	return c.err
}
