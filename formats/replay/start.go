package replay

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"w3host/protocol/w3gs"
)

// Limits for the start of a game, above those of any real file.
const (
	maxText      = 1024
	maxEncoded   = 8192
	maxPlayers   = 64
	maxMetas     = 1024
	maxMetaBytes = 1 << 20
)

// Start is the start of the stream (the document, §4): u32 0x110 · record of the host · game name cstr ·
// private string cstr · encoded settings cstr · slot count u32 · game type u32 · language u32 · records of
// the other players · from 1.32 on metadata · game start record.
type Start struct {
	Players  []Player // the first player is the host of the game
	GameName string
	Private  string // always empty before 1.32
	Settings Settings

	SlotCount uint32
	GameType  uint32
	Language  uint32
	Metas     []Meta

	// Game start record 0x19: length u16 · n u8 · n slots · random seed u32 · layout u8 · start locations u8.
	// Official replays have no slots.
	Slots      []w3gs.Slot
	RandomSeed uint32
	Layout     w3gs.Layout
	StartSpots uint8
}

// Player is a player record, 0x00 for the host or 0x16 for others: pid u8 · name cstr · n u8 · n bytes · and,
// except for the host, an unknown u32. Computer players have no record.
type Player struct {
	PID     uint8
	Name    string
	Extra   []byte // one zero byte in custom games, two from 1.31 on; runtime u32 · race u32 in ladder games
	Unknown uint32 // 0; 1 before 1.07; the language in official replays

	// Fake marks a player simulated by the host; the Writer does not wait for it to leave. It is not stored
	// in the file.
	Fake bool
}

// ladderRace returns the race in the record of a ladder player, or 0.
func (p *Player) ladderRace() w3gs.Race {
	if len(p.Extra) != 8 {
		return 0
	}
	return w3gs.Race(p.Extra[4])
}

// Settings is the decoded settings string: flags u32 · u8 · map width u16 · map height u16 · map checksum u32
// · map path cstr · host name cstr · an empty cstr · from 1.23 on the map's SHA-1.
type Settings struct {
	Flags    w3gs.GameSettings
	Unknown4 uint8 // always 0 in known files
	Width    uint16
	Height   uint16
	Checksum uint32
	MapPath  string
	HostName string
	Rest     []byte // the third string and all following bytes
}

// SHA1 returns the map's SHA-1; ok is false if the file has none.
func (s *Settings) SHA1(p Program) (sum [20]byte, ok bool) {
	if !p.Version.game().HasSHA1() || len(s.Rest) < 21 {
		return sum, false
	}
	return [20]byte(s.Rest[1:21]), true
}

// Meta is a metadata record of 1.32 and later, with the ID 0x39, or 0x38 from 2.0.2 on: kind u8 · length u32
// · protobuf message. Kind 3 is a player's profile, kind 4 a player's skins.
type Meta struct {
	ID   byte
	Kind byte
	Data []byte
}

const (
	metaEarly = 0x39
	metaLate  = 0x38 // ID from 2.0.2 on
)

// late reports whether the replay is from 2.0.2 or later, where action IDs changed.
func (s *Start) late() bool {
	return slices.ContainsFunc(s.Metas, func(m Meta) bool { return m.ID == metaLate })
}

// appendTo appends the encoded start for the version of p.
func (s *Start) appendTo(dst []byte, p Program) []byte {
	u32 := binary.LittleEndian.AppendUint32
	dst = u32(dst, 0x110)
	for i, p := range s.Players {
		id := byte(recPlayer)
		if i == 0 {
			id = 0
		}
		dst = append(dst, id, p.PID)
		dst = append(append(dst, p.Name...), 0, byte(len(p.Extra)))
		dst = append(dst, p.Extra...)
		if i == 0 {
			dst = s.appendGame(dst)
		} else {
			dst = u32(dst, p.Unknown)
		}
	}
	for _, m := range s.Metas {
		dst = append(u32(append(dst, m.ID, m.Kind), uint32(len(m.Data))), m.Data...)
	}
	size := p.slotLen()
	dst = binary.LittleEndian.AppendUint16(append(dst, recGameStart), uint16(1+size*len(s.Slots)+6))
	dst = append(dst, byte(len(s.Slots)))
	for _, slot := range s.Slots {
		end := len(dst) + size
		dst = slot.AppendTo(dst)[:end]
	}
	return append(u32(dst, s.RandomSeed), byte(s.Layout), s.StartSpots)
}

// appendGame appends the fields between the host's record and the other players.
func (s *Start) appendGame(dst []byte) []byte {
	dst = append(append(dst, s.GameName...), 0)
	dst = append(append(dst, s.Private...), 0)
	dst = append(w3gs.AppendStatEncoded(dst, s.Settings.appendTo(nil)), 0)
	for _, v := range []uint32{s.SlotCount, s.GameType, s.Language} {
		dst = binary.LittleEndian.AppendUint32(dst, v)
	}
	return dst
}

func (s *Settings) appendTo(dst []byte) []byte {
	dst = append(binary.LittleEndian.AppendUint32(dst, uint32(s.Flags)), s.Unknown4)
	dst = binary.LittleEndian.AppendUint16(dst, s.Width)
	dst = binary.LittleEndian.AppendUint16(dst, s.Height)
	dst = binary.LittleEndian.AppendUint32(dst, s.Checksum)
	dst = append(append(dst, s.MapPath...), 0)
	dst = append(append(dst, s.HostName...), 0)
	return append(dst, s.Rest...)
}

// check returns an error if the fields have no representation in the file format.
func (s *Start) check() error {
	switch {
	case len(s.Players) == 0:
		return fmt.Errorf("replay: the host's player record is missing")
	case len(s.Players) > maxPlayers || len(s.Slots) > w3gs.MaxSlots:
		return fmt.Errorf("replay: %d players and %d slots are too many", len(s.Players), len(s.Slots))
	}
	for _, text := range []string{s.GameName, s.Private, s.Settings.MapPath, s.Settings.HostName} {
		if err := checkText(text); err != nil {
			return err
		}
	}
	for _, p := range s.Players {
		if err := checkText(p.Name); err != nil {
			return err
		}
		if len(p.Extra) > 255 {
			return fmt.Errorf("replay: player %d has %d extra bytes; the limit is 255", p.PID, len(p.Extra))
		}
	}
	return nil
}

// checkText returns an error for a text that is too long or contains a NUL, because it could not be read
// back.
func checkText(s string) error {
	if len(s) > maxText {
		return fmt.Errorf("replay: a text has %d bytes; the limit is %d", len(s), maxText)
	}
	if strings.Contains(s, "\x00") {
		return fmt.Errorf("replay: the text %q holds a zero byte", s)
	}
	return nil
}
