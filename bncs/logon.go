package bncs

// Create (0x3D, to the realm): XSHA1 of the password, 20 bytes · name str. The
// older way to register; unlike 0x52 the password does not cross the network,
// and a PvPGN server stores what the proof of a log-on is compared with.
type Create struct {
	Hash [20]byte
	Name string
}

// ID is 0x3D.
func (*Create) ID() ID { return IDCreate }

func (p *Create) appendBody(dst []byte) []byte { return appendStr(append(dst, p.Hash[:]...), p.Name) }

// Decode reads the body.
func (p *Create) Decode(body []byte) error {
	c := cursor{id: IDCreate, b: body}
	copy(p.Hash[:], c.bytes(len(p.Hash)))
	p.Name = c.str()
	return c.err
}

// Results of 0x3D.
const (
	Created          uint32 = 0
	CreateNotAllowed uint32 = 2
	CreateExists     uint32 = 4 // or nobody may register
)

// CreateReply (0x3D, to the client): result u32.
type CreateReply struct{ Result uint32 }

// ID is 0x3D.
func (*CreateReply) ID() ID { return IDCreate }

func (p *CreateReply) appendBody(dst []byte) []byte { return appendU32(dst, p.Result) }

// Decode reads the body.
func (p *CreateReply) Decode(body []byte) error {
	c := cursor{id: IDCreate, b: body}
	p.Result = c.u32()
	return c.err
}

// Logon (0x53, to the realm): the client's public key, 32 bytes · name str.
type Logon struct {
	Key  [32]byte // zeros do for XSHA1
	Name string
}

// ID is 0x53.
func (*Logon) ID() ID { return IDLogon }

func (p *Logon) appendBody(dst []byte) []byte { return appendStr(append(dst, p.Key[:]...), p.Name) }

// Decode reads the body.
func (p *Logon) Decode(body []byte) error {
	c := cursor{id: IDLogon, b: body}
	copy(p.Key[:], c.bytes(len(p.Key)))
	p.Name = c.str()
	return c.err
}

// LogonReply (0x53, to the client): result u32 · salt 32 bytes · server's public
// key 32 bytes. Result 0 goes on; 1 is no such account, or one that may not log
// on. An account without salt and key knows XSHA1 only.
type LogonReply struct {
	Result uint32
	Salt   [32]byte
	Key    [32]byte
}

// ID is 0x53.
func (*LogonReply) ID() ID { return IDLogon }

func (p *LogonReply) appendBody(dst []byte) []byte {
	return append(append(appendU32(dst, p.Result), p.Salt[:]...), p.Key[:]...)
}

// Decode reads the body.
func (p *LogonReply) Decode(body []byte) error {
	c := cursor{id: IDLogon, b: body}
	if p.Result = c.u32(); p.Result != 0 && len(c.b) == 0 {
		return c.err
	}
	copy(p.Salt[:], c.bytes(len(p.Salt)))
	copy(p.Key[:], c.bytes(len(p.Key)))
	return c.err
}

// Proof (0x54, to the realm): M1 of SRP or the XSHA1, 20 bytes.
type Proof struct{ Proof [20]byte }

// ID is 0x54.
func (*Proof) ID() ID { return IDProof }

func (p *Proof) appendBody(dst []byte) []byte { return append(dst, p.Proof[:]...) }

// Decode reads the body.
func (p *Proof) Decode(body []byte) error {
	c := cursor{id: IDProof, b: body}
	copy(p.Proof[:], c.bytes(len(p.Proof)))
	return c.err
}

// Results of 0x54.
const (
	LoggedOn       uint32 = 0
	WrongPassword  uint32 = 2
	LoggedOnNoMail uint32 = 0x0E // the account has no e-mail address: the usual case
	AccountLocked  uint32 = 0x0F // the text says why
)

// ProofReply (0x54, to the client): result u32 · M2 20 bytes · text str. M2 is
// zero after XSHA1.
type ProofReply struct {
	Result uint32
	Proof  [20]byte
	Text   string
}

// ID is 0x54.
func (*ProofReply) ID() ID { return IDProof }

func (p *ProofReply) appendBody(dst []byte) []byte {
	dst = append(appendU32(dst, p.Result), p.Proof[:]...)
	if p.Result == AccountLocked {
		dst = appendStr(dst, p.Text)
	}
	return dst
}

// Decode reads the body.
func (p *ProofReply) Decode(body []byte) error {
	c := cursor{id: IDProof, b: body}
	p.Result, p.Text = c.u32(), ""
	copy(p.Proof[:], c.bytes(len(p.Proof)))
	if len(c.b) > 0 {
		p.Text = c.str()
	}
	return c.err
}
