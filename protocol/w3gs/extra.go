package w3gs

import "google.golang.org/protobuf/encoding/protowire"

// ExtraKind says what a PlayerExtra carries.
type ExtraKind uint8

// Kinds. A message is about the player whose pid is its field 1.
const (
	ExtraUnits   ExtraKind = 2 // from the host in a running game, about many players: counts of units and skins
	ExtraProfile ExtraKind = 3 // battle tag 2, clan 3, portrait 4, realm 5
	ExtraSkins   ExtraKind = 4 // the skins that a player has chosen 2
	ExtraPair    ExtraKind = 5 // a number 2; nobody knows what it means
)

// Fields of the messages.
const (
	extraPID        protowire.Number = 1
	extraBattleTag  protowire.Number = 2
	extraPortrait   protowire.Number = 4
	extraRealm      protowire.Number = 5
	defaultPortrait                  = "p042" // of a player who has chosen none
)

// PlayerExtra (0x59, both ways, from 1.32) is what clients show of a player besides the
// name: kind u8 · length u32 · a protobuf message. The message is kept as it came, with
// the fields that nobody here knows.
type PlayerExtra struct {
	Kind ExtraKind
	Data []byte
}

func (p *PlayerExtra) Op() Op                   { return OpPlayerExtra }
func (p *PlayerExtra) AppendTo(b []byte) []byte { return p.fields(begin(b, OpPlayerExtra)).end() }
func (p *PlayerExtra) Decode(b []byte) error    { return p.fields(read(b, OpPlayerExtra)).done() }

func (p *PlayerExtra) fields(c *codec) *codec {
	n := uint32(len(p.Data))
	c.u8((*uint8)(&p.Kind)).u32(&n)
	switch {
	case !c.reading:
		c.b = append(c.b, p.Data...)
		return c
	case int(n) != c.left():
		c.fail(ErrLength)
	}
	p.Data = append([]byte(nil), c.take(c.left())...)
	return c
}

// NewProfile is the profile of a player of the host, as an offline client sends it.
func NewProfile(pid uint8, tag string) *PlayerExtra {
	b := protowire.AppendString(protowire.AppendTag(appendPID(pid), extraBattleTag, protowire.BytesType), tag)
	b = protowire.AppendString(protowire.AppendTag(b, extraPortrait, protowire.BytesType), defaultPortrait)
	return &PlayerExtra{ExtraProfile, b}
}

// NewSkins says that a player has chosen no skins.
func NewSkins(pid uint8) *PlayerExtra { return &PlayerExtra{ExtraSkins, appendPID(pid)} }

// NewPair returns the message that clients send beside their skins.
func NewPair(pid uint8) *PlayerExtra {
	b := protowire.AppendTag(appendPID(pid), extraBattleTag, protowire.VarintType)
	return &PlayerExtra{ExtraPair, protowire.AppendVarint(b, 1)}
}

func appendPID(pid uint8) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, extraPID, protowire.VarintType), uint64(pid))
}

// PID is the player that a message is about; 0 if it is malformed, or about nobody
// or several. Readers of protobuf take the last of equal fields, so all must agree.
func (p *PlayerExtra) PID() uint8 {
	pid := uint64(0)
	for f, ok := range ProtoFields(p.Data) {
		switch v, _ := protowire.ConsumeVarint(f.Value); {
		case ok && f.Number != extraPID:
		case !ok || f.Kind != protowire.VarintType || v == 0 || v > MaxSlots || pid != 0 && v != pid:
			return 0
		default:
			pid = v
		}
	}
	return uint8(pid)
}

// HasPlainTexts reports whether the texts of a profile, which other people read, are as PlainLine leaves them.
func (p *PlayerExtra) HasPlainTexts() bool {
	if p.Kind != ExtraProfile {
		return true
	}
	for f, ok := range ProtoFields(p.Data) {
		isText := ok && f.Kind == protowire.BytesType && f.Number >= extraBattleTag && f.Number <= extraRealm
		if isText && PlainLine(string(f.Value)) != string(f.Value) {
			return false
		}
	}
	return true
}
