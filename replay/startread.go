package replay

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"w3host/w3gs"
)

// readStart reads the start of the game.
func (r *Reader) readStart() error {
	s, st := &r.stream, &r.Start
	first, err := s.u32("the start of the game")
	if err != nil {
		return err
	}
	if first != 0x110 {
		r.note(false, "the stream begins with %#x, not with 0x110", first)
	}
	if id, err := s.u8("the host's record"); err != nil {
		return err
	} else if id != 0 {
		return fmt.Errorf("%w: the host's record has the ID %#02x, not 0", ErrDamaged, id)
	}
	host, err := s.player()
	if err != nil {
		return err
	}
	st.Players = append(st.Players, host)
	if st.GameName, err = s.cstr(maxText, "the game's name"); err != nil {
		return err
	}
	if st.Private, err = s.cstr(maxText, "the private string"); err != nil {
		return err
	}
	encoded, err := s.cstr(maxEncoded, "the settings")
	if err != nil {
		return err
	}
	if err := st.Settings.decode(encoded); err != nil {
		return err
	}
	b, err := s.take(12, "the start of the game")
	if err != nil {
		return err
	}
	u32 := binary.LittleEndian.Uint32
	st.SlotCount, st.GameType, st.Language = u32(b), u32(b[4:]), u32(b[8:])
	if err := r.readPlayers(); err != nil {
		return err
	}
	return r.readSlots()
}

// readPlayers reads the records between the host's and the game start record.
func (r *Reader) readPlayers() error {
	s, st := &r.stream, &r.Start
	for {
		if !s.have(1) {
			return s.end("the list of players")
		}
		switch id := s.buf[s.at]; id {
		case recGameStart:
			return nil
		case recPlayer:
			s.at++
			p, err := s.player()
			if err != nil {
				return err
			}
			if p.Unknown, err = s.u32("a player's record"); err != nil {
				return err
			}
			if st.Players = append(st.Players, p); len(st.Players) > maxPlayers {
				return fmt.Errorf("%w: more than %d players", ErrDamaged, maxPlayers)
			}
		case metaLate, metaLate + 1:
			if err := r.readMeta(); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%w: the ID %#02x among the players at byte %d of the stream", ErrDamaged, id, s.offset())
		}
	}
}

func (r *Reader) readMeta() error {
	b, err := r.stream.take(6, "metadata")
	if err != nil {
		return err
	}
	m := Meta{ID: b[0], Kind: b[1]}
	n := binary.LittleEndian.Uint32(b[2:])
	if r.metaBytes += int64(n); r.metaBytes > maxMetaBytes || len(r.Start.Metas) >= maxMetas {
		return fmt.Errorf("%w: more metadata than %d bytes or %d records", ErrDamaged, maxMetaBytes, maxMetas)
	}
	if b, err = r.stream.take(int(n), "metadata"); err != nil {
		return err
	}
	m.Data = bytes.Clone(b)
	r.Start.Metas = append(r.Start.Metas, m)
	return nil
}

func (r *Reader) readSlots() error {
	s, st := &r.stream, &r.Start
	b, err := s.take(4, "the slots")
	if err != nil {
		return err
	}
	n, count, size := int(binary.LittleEndian.Uint16(b[1:])), int(b[3]), r.slotLen()
	if n != 1+count*size+6 {
		return fmt.Errorf("%w: a game start record of %d bytes for %d slots of %d", ErrDamaged, n, count, size)
	}
	if b, err = s.take(n-1, "the slots"); err != nil {
		return err
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
	return nil
}

// player reads a record behind its ID, without the u32 that others than the
// host have.
func (s *stream) player() (p Player, err error) {
	const what = "a player's record"
	if p.PID, err = s.u8(what); err != nil {
		return p, err
	}
	if p.Name, err = s.cstr(maxText, "a player's name"); err != nil {
		return p, err
	}
	n, err := s.u8(what)
	if err != nil {
		return p, err
	}
	b, err := s.take(int(n), what)
	p.Extra = bytes.Clone(b)
	return p, err
}

func (s *Settings) decode(encoded string) error {
	plain, err := w3gs.DecodeStat([]byte(encoded))
	if err != nil || len(plain) < 13 {
		return fmt.Errorf("%w: the settings are too short", ErrDamaged)
	}
	u16 := binary.LittleEndian.Uint16
	s.Flags, s.Unknown4 = w3gs.GameSettings(binary.LittleEndian.Uint32(plain)), plain[4]
	s.Width, s.Height, s.Checksum = u16(plain[5:]), u16(plain[7:]), binary.LittleEndian.Uint32(plain[9:])
	path, rest, ok := bytes.Cut(plain[13:], []byte{0})
	host, rest, ok2 := bytes.Cut(rest, []byte{0})
	if !ok || !ok2 {
		return fmt.Errorf("%w: the settings end in the middle of a name", ErrDamaged)
	}
	s.MapPath, s.HostName, s.Rest = string(path), string(host), rest
	return nil
}
