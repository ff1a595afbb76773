// Package savedgame reads and writes the head of a saved multiplayer game (.w3z): all that a
// host needs to open its lobby. The rest is the state of the game's engine, which only the
// game itself reads.
//
// Sources: savegame.cpp of GHost++ ("figured out by Varlock"), save_game.cpp of Aura. Nothing
// public describes the files of 1.32 and later.
package savedgame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// ErrNotSaved is the error for a file that is something else. Damaged and shortened files are
// replay.ErrDamaged and replay.ErrTruncated.
var ErrNotSaved = errors.New("not a saved game of Warcraft III")

const (
	maxHead = 64 << 10 // some hundred bytes are usual
	maxText = 1024
	maxStat = 8192
)

// Save is a saved game.
type Save struct {
	replay.Header
	Head
	Doubt error // what is wrong with the file although its head can be read; nil: nothing
}

// Head is the beginning of the stream: map path cstr · unknown cstr · name of the game cstr ·
// unknown cstr · encoded stat string cstr · slots u32 · game type u32 · the slot table as in
// 0x04, with the random seed, layout and player slots behind it · magic u32.
type Head struct {
	MapPath   string
	Unknown1  string // empty in all files seen
	GameName  string
	Unknown2  string          // perhaps a password
	Stat      w3gs.StatString // of the first game: its settings, the map's path, checksum and SHA-1
	SlotCount uint32
	Type      w3gs.GameType // 0x00492801 and 0x00492001 seen
	Table     w3gs.SlotTable
	Magic     uint32 // identifies this save
}

// Read reads a file as far as its head goes. The rest may be missing.
func Read(src io.Reader) (*Save, error) {
	h, stream, fault := replay.ReadHead(src, maxHead)
	switch {
	case errors.Is(fault, replay.ErrNotReplay):
		return nil, ErrNotSaved
	case fault != nil && stream == nil:
		return nil, fault
	case h.Flags&replay.Multiplayer != 0 || bytes.HasPrefix(stream, []byte{0x10, 1, 0, 0}):
		return nil, fmt.Errorf("%w, but a replay: see w3host replay info", ErrNotSaved)
	}
	g := &Save{Header: h, Doubt: fault}
	if err := g.Decode(stream); err != nil {
		return nil, errors.Join(fault, err)
	}
	return g, nil
}

// Human is a slot that a player had, from 0, with the player's pid.
type Human struct {
	Slot int
	PID  uint8
}

// Humans are the slots that players had, fake players among them.
func (h *Head) Humans() (list []Human) {
	for i, s := range h.Table.Slots {
		if s.Status == w3gs.SlotOccupied && !s.Computer {
			list = append(list, Human{i, s.PID})
		}
	}
	return list
}

// MapFile is the name of the map's file.
func (h *Head) MapFile() string {
	return h.MapPath[strings.LastIndexAny(h.MapPath, `\/`)+1:]
}

// Decode reads a head. Bytes behind it are left alone.
func (h *Head) Decode(stream []byte) error {
	s := replay.NewStream(stream)
	h.MapPath, h.Unknown1 = s.Cstr(maxText, "the map's path"), s.Cstr(maxText, "the second text")
	h.GameName, h.Unknown2 = s.Cstr(maxText, "the game's name"), s.Cstr(maxText, "the fourth text")
	stat := s.Cstr(maxStat, "the stat string")
	h.SlotCount, h.Type = s.U32("the number of slots"), w3gs.GameType(s.U32("the game type"))
	size := s.U16("the slots")
	table := s.Take(int(size), "the slots")
	h.Magic = s.U32("the magic number")
	if s.Err() != nil {
		return s.Err()
	}
	if err := h.Stat.Decode([]byte(stat)); err != nil {
		return fmt.Errorf("%w: the stat string: %w", replay.ErrDamaged, err)
	}
	if err := h.Table.Decode(append(binary.LittleEndian.AppendUint16(nil, size), table...)); err != nil {
		return fmt.Errorf("%w: the slots: %w", replay.ErrDamaged, err)
	}
	return h.check()
}

// check refuses tables that no game begins with.
func (h *Head) check() error {
	var pids w3gs.PIDs
	for _, p := range h.Humans() {
		switch {
		case p.PID == 0 || p.PID > w3gs.MaxSlots:
			return fmt.Errorf("%w: the player in slot %d has the pid %d", replay.ErrDamaged, p.Slot+1, p.PID)
		case pids.Has(p.PID):
			return fmt.Errorf("%w: two players have the pid %d", replay.ErrDamaged, p.PID)
		}
		pids |= w3gs.Only(p.PID)
	}
	if pids == 0 {
		return fmt.Errorf("%w: nobody played", replay.ErrDamaged)
	}
	return nil
}

// AppendTo appends the head in the layout of the stream.
func (h *Head) AppendTo(dst []byte) []byte {
	for _, text := range []string{h.MapPath, h.Unknown1, h.GameName, h.Unknown2} {
		dst = append(append(dst, text...), 0)
	}
	dst = append(h.Stat.AppendTo(dst), 0)
	dst = binary.LittleEndian.AppendUint32(dst, h.SlotCount)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.Type))
	return binary.LittleEndian.AppendUint32(h.Table.AppendTo(dst), h.Magic)
}

// Pack makes a file of the head with nothing behind it: hosts read it, the game does not.
func (h *Head) Pack(by replay.Header) []byte {
	by.Flags &^= replay.Multiplayer
	return replay.Pack(by, h.AppendTo(nil))
}
