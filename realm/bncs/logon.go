package bncs

// Create (0x3D, to the realm): XSHA1 of the password, 20 bytes · name str. This is the older way to register. Unlike
// with 0x52, the password is not sent, and a PvPGN server stores the value that it compares with the proof of a logon.
type Create struct {
	Hash [20]byte
	Name string
}

func (*Create) ID() ID { return IDCreate }

func (p *Create) fields(c *codec) {
	c.bytes(p.Hash[:])
	c.str(&p.Name)
}

// Results of 0x3D.
const (
	Created          uint32 = 0
	CreateNotAllowed uint32 = 2
	CreateExists     uint32 = 4 // the name exists, or registration is disabled
)

// CreateReply (0x3D, to the client): result u32.
type CreateReply struct{ Result uint32 }

func (*CreateReply) ID() ID { return IDCreate }

func (p *CreateReply) fields(c *codec) { c.u32(&p.Result) }

// Logon (0x53, to the realm): the client's public key, 32 bytes · name str.
type Logon struct {
	Key  [32]byte // may be zero for XSHA1
	Name string
}

func (*Logon) ID() ID { return IDLogon }

func (p *Logon) fields(c *codec) {
	c.bytes(p.Key[:])
	c.str(&p.Name)
}

// LogonReply (0x53, to the client): result u32 · salt 32 bytes · server's public key 32 bytes. Result 0 means to
// continue; 1 means that the account does not exist or may not log on, and may end the packet. An account without salt
// and key supports only XSHA1.
type LogonReply struct {
	Result uint32
	Salt   [32]byte
	Key    [32]byte
}

func (*LogonReply) ID() ID { return IDLogon }

func (p *LogonReply) fields(c *codec) {
	if c.u32(&p.Result); p.Result != 0 && !c.writes && !c.more() {
		return
	}
	c.bytes(p.Salt[:])
	c.bytes(p.Key[:])
}

// Proof (0x54, to the realm): M1 of SRP, or the XSHA1 of the password; 20 bytes.
type Proof struct{ Proof [20]byte }

func (*Proof) ID() ID { return IDProof }

func (p *Proof) fields(c *codec) { c.bytes(p.Proof[:]) }

// Results of 0x54.
const (
	LoggedOn       uint32 = 0
	WrongPassword  uint32 = 2
	LoggedOnNoMail uint32 = 0x0E // the account has no e-mail address: the usual case
	AccountLocked  uint32 = 0x0F // the text gives the reason
)

// ProofReply (0x54, to the client): result u32 · M2 20 bytes · text str (optional). M2 is zero with XSHA1.
type ProofReply struct {
	Result uint32
	Proof  [20]byte
	Text   string
}

func (*ProofReply) ID() ID { return IDProof }

func (p *ProofReply) fields(c *codec) {
	c.u32(&p.Result)
	c.bytes(p.Proof[:])
	if c.more() || c.writes && p.Result == AccountLocked {
		c.str(&p.Text)
	}
}
