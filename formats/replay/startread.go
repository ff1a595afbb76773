package replay

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"w3host/protocol/w3gs"
)

// readStart reads the start of the game into r.Start.
func (r *Reader) readStart() error {
	s, st := &r.stream, &r.Start
	const what = "the start of the game"
	if first := s.U32(what); s.err == nil && first != 0x110 {
		if r.Flags&Multiplayer == 0 && byte(first) != 0x10 {
			return fmt.Errorf("%w: it may be a saved game; try w3host save info", ErrNotReplay)
		}
		r.note(false, "the stream begins with %#x instead of 0x110", first)
	}
	if id := s.u8("the host's record"); id != 0 {
		s.damaged("the host's record has the ID %#02x instead of 0", id)
	}
	st.Players = append(st.Players, s.player())
	st.GameName = s.Cstr(maxText, "the game's name")
	st.Private = s.Cstr(maxText, "the private string")
	st.Settings.decode(s, s.Cstr(maxEncoded, "the settings"))
	st.SlotCount, st.GameType, st.Language = s.U32(what), s.U32(what), s.U32(what)
	r.readPlayers()
	r.readSlots()
	return s.err
}

// readPlayers reads the player and metadata records after the host's record.
func (r *Reader) readPlayers() {
	s, st := &r.stream, &r.Start
	for s.err == nil {
		id := s.u8("the list of players")
		switch {
		case s.err != nil, id == recGameStart:
			return
		case id == recPlayer:
			p := s.player()
			p.Unknown = s.U32("a player's record")
			if st.Players = append(st.Players, p); len(st.Players) > maxPlayers {
				s.damaged("more than %d players", maxPlayers)
			}
		case id == metaLate || id == metaLate+1:
			r.readMeta(id)
		default:
			s.damaged("unexpected ID %#02x in the player list at byte %d of the stream", id, s.offset()-1)
		}
	}
}

func (r *Reader) readMeta(id byte) {
	s, what := &r.stream, "metadata"
	m := Meta{ID: id, Kind: s.u8(what)}
	n := s.U32(what)
	if r.metaBytes += int64(n); r.metaBytes > maxMetaBytes || len(r.Start.Metas) >= maxMetas {
		s.damaged("more metadata than %d bytes or %d records", maxMetaBytes, maxMetas)
	}
	m.Data = bytes.Clone(s.Take(int(n), what))
	r.Start.Metas = append(r.Start.Metas, m)
}

// readSlots reads the body of the game start record.
func (r *Reader) readSlots() {
	s, st := &r.stream, &r.Start
	b := s.Take(3, "the slots")
	if b == nil {
		return
	}
	n, count, size := int(binary.LittleEndian.Uint16(b)), int(b[2]), r.slotLen()
	if n != 1+count*size+6 {
		s.damaged("game start record of %d bytes for %d slots of %d bytes", n, count, size)
	}
	if b = s.Take(n-1, "the slots"); b == nil {
		return
	}
	for i := range count {
		full := [w3gs.SlotLen]byte{7: byte(w3gs.AINormal), 8: 100}
		copy(full[:], b[i*size:(i+1)*size])
		if full[2] > byte(w3gs.SlotOccupied) || full[3] > 1 {
			r.note(false, "slot %d has the status %d and the computer flag %d", i+1, full[2], full[3])
		}
		st.Slots = append(st.Slots, w3gs.Slot{
			PID: full[0], Download: full[1], Status: w3gs.SlotStatus(full[2]), Computer: full[3] != 0, Team: full[4],
			Colour: full[5], Race: w3gs.Race(full[6]), AI: w3gs.AI(full[7]), Handicap: full[8],
		})
	}
	b = b[count*size:]
	st.RandomSeed, st.Layout, st.StartSpots = binary.LittleEndian.Uint32(b), w3gs.Layout(b[4]), b[5]
}

// player reads a player record after its ID, without the trailing u32 of players other than the host.
func (s *Stream) player() Player {
	const what = "a player's record"
	p := Player{PID: s.u8(what), Name: s.Cstr(maxText, "a player's name")}
	p.Extra = bytes.Clone(s.Take(int(s.u8(what)), what))
	return p
}

// decode decodes the settings string; an error in it becomes an error of the stream.
func (s *Settings) decode(from *Stream, encoded string) {
	plain, err := w3gs.DecodeStat([]byte(encoded))
	if err != nil || len(plain) < 13 {
		from.damaged("the settings are too short")
		return
	}
	u16 := binary.LittleEndian.Uint16
	s.Flags, s.Unknown4 = w3gs.GameSettings(binary.LittleEndian.Uint32(plain)), plain[4]
	s.Width, s.Height, s.Checksum = u16(plain[5:]), u16(plain[7:]), binary.LittleEndian.Uint32(plain[9:])
	path, rest, ok := bytes.Cut(plain[13:], []byte{0})
	host, rest, ok2 := bytes.Cut(rest, []byte{0})
	if !ok || !ok2 {
		from.damaged("the settings end in the middle of a name")
	}
	s.MapPath, s.HostName, s.Rest = string(path), string(host), rest
}
