package bncs

import (
	"slices"

	"w3host/protocol/w3gs"
)

// platform is the tag "IX86".
const platform = 0x49583836

// AuthInfo (0x50, to the realm): protocol u32 0 · platform · product · version
// id u32 · language tag · local address u32 · time zone u32 · locale u32 ·
// language u32 · country code str · country name str.
type AuthInfo struct {
	Product  w3gs.Product
	Version  uint32 // 0x1A is 1.26
	Language string // such as enUS
}

func (*AuthInfo) ID() ID { return IDAuthInfo }

func (p *AuthInfo) fields(c *codec) {
	const usEnglish = 0x0409
	c.fixed32(0, platform)
	c.u32((*uint32)(&p.Product), &p.Version)
	c.tag(&p.Language)
	c.fixed32(0, 0, usEnglish, usEnglish)
	c.fixedStr("USA", "United States")
}

func (c *codec) tag(v *string) {
	b := make([]byte, 4)
	copy(b, *v)
	slices.Reverse(b)
	c.bytes(b)
	slices.Reverse(b)
	*v = string(b)
}

// AuthInfoReply (0x50, to the client): log-on type u32 · server token u32 ·
// session u32 · file time u64 · file name str · formula str, and a signature
// that PvPGN leaves empty.
type AuthInfoReply struct {
	LogonType   uint32 // 2; does not tell which proof the account needs
	ServerToken uint32
	File        string
	Formula     string
}

func (*AuthInfoReply) ID() ID { return IDAuthInfo }

func (p *AuthInfoReply) fields(c *codec) {
	c.u32(&p.LogonType, &p.ServerToken)
	c.fixed32(0, 0, 0)
	c.str(&p.File, &p.Formula)
	if c.writes {
		c.bytes(make([]byte, 128))
	}
}

// AuthCheck (0x51, to the realm): client token u32 · exe version u32 · exe hash u32 · number of keys u32 · spawn u32 ·
// keys of 36 bytes · exe info str · key owner str. PvPGN ignores the keys, so none are sent; received ones are skipped.
type AuthCheck struct {
	Token uint32
	Exe   Exe
	Owner string
}

func (*AuthCheck) ID() ID { return IDAuthCheck }

func (p *AuthCheck) fields(c *codec) {
	const keySize = 36
	keys := uint32(0)
	c.u32(&p.Token, &p.Exe.Version, &p.Exe.Hash, &keys)
	c.fixed32(0)
	if keys > MaxFrame/keySize {
		c.fail(errCount)
		return
	}
	c.bytes(make([]byte, keys*keySize))
	c.str(&p.Exe.Info, &p.Owner)
}

// Results of 0x51.
const (
	VersionAccepted uint32 = 0
	VersionRefused  uint32 = 0x101
)

// AuthCheckReply (0x51, to the client): result u32 · text str (optional).
type AuthCheckReply struct {
	Result uint32
	Text   string
}

func (*AuthCheckReply) ID() ID { return IDAuthCheck }

func (p *AuthCheckReply) fields(c *codec) {
	c.u32(&p.Result)
	if c.writes || c.more() {
		c.str(&p.Text)
	}
}
