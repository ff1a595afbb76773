package w3gs

import "google.golang.org/protobuf/encoding/protowire"

// ExtraKind says what a PlayerExtra message contains, such as a player's profile or skins.
type ExtraKind uint8

// Kinds of PlayerExtra. Field 1 of each message is the pid of the player it describes; the other field
// numbers are given per kind.
const (
	ExtraUnits   ExtraKind = 2 // host to client during the game, about several players: counts of units and skins
	ExtraProfile ExtraKind = 3 // battle tag (field 2), clan (3), portrait (4), realm (5)
	ExtraSkins   ExtraKind = 4 // chosen skins (field 2)
	ExtraPair    ExtraKind = 5 // an integer of unknown meaning (field 2)
)

// Field numbers of the protobuf messages.
const (
	extraPID        protowire.Number = 1
	extraBattleTag  protowire.Number = 2
	extraPortrait   protowire.Number = 4
	extraRealm      protowire.Number = 5
	defaultPortrait                  = "p042" // the portrait of a player who has not chosen one
)

// PlayerExtra (0x59, both directions, from 1.32) carries profile data that clients show besides the name:
// kind u8 · length u32 · protobuf message. Data keeps the message unchanged, including unknown fields.
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

// NewProfile returns the profile of a player controlled by the host, equal to that of an offline client.
func NewProfile(pid uint8, tag string) *PlayerExtra {
	b := protowire.AppendString(protowire.AppendTag(appendPID(pid), extraBattleTag, protowire.BytesType), tag)
	b = protowire.AppendString(protowire.AppendTag(b, extraPortrait, protowire.BytesType), defaultPortrait)
	return &PlayerExtra{ExtraProfile, b}
}

// NewSkins returns the message of a player who has chosen no skins.
func NewSkins(pid uint8) *PlayerExtra { return &PlayerExtra{ExtraSkins, appendPID(pid)} }

// NewPair returns the ExtraPair message that clients send along with their skins.
func NewPair(pid uint8) *PlayerExtra {
	b := protowire.AppendTag(appendPID(pid), extraBattleTag, protowire.VarintType)
	return &PlayerExtra{ExtraPair, protowire.AppendVarint(b, 1)}
}

func appendPID(pid uint8) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, extraPID, protowire.VarintType), uint64(pid))
}

// PID returns the pid of the player that the message describes. It returns 0 if the message is malformed or
// names no player or several. All copies of field 1 must agree, because protobuf readers take the last one.
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

// HasPlainTexts reports whether PlainLine would leave all texts of a profile unchanged; other players see
// these texts.
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
