// Package savedgame reads and writes the beginning of a saved multiplayer game (.w3z), which is all that a
// host needs to open its lobby. The rest is engine state that only the game itself can read.
//
// Read returns a Save. Package control/saves and the `w3host save` commands use it; formats/replay handles
// the container format, which replays share.
//
// Sources: savegame.cpp of GHost++ ("figured out by Varlock") and save_game.cpp of Aura. No public source
// describes the files of 1.32 and later.
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

// ErrNotSaved is returned for a file that is not a saved game. Damaged and truncated files yield
// replay.ErrDamaged and replay.ErrTruncated.
var ErrNotSaved = errors.New("not a saved game of Warcraft III")

const (
	maxHead = 64 << 10 // a few hundred bytes are usual
	maxText = 1024
	maxStat = 8192
)

// Save is the readable part of a saved game.
type Save struct {
	replay.Header
	Head
	Doubt error // defect of a file whose head could still be read, or nil
}

// Head is the start of the stream: map path cstr · unknown cstr · game name cstr · unknown cstr · encoded
// stat string cstr · slots u32 · game type u32 · slot table as in a 0x04, including random seed, layout and
// player slots · magic u32.
type Head struct {
	MapPath   string
	Unknown1  string // empty in all known files
	GameName  string
	Unknown2  string          // possibly a password
	Stat      w3gs.StatString // stat string of the original game: settings, map path, checksum and SHA-1
	SlotCount uint32
	Type      w3gs.GameType // known values: 0x00492801 and 0x00492001
	Table     w3gs.SlotTable
	Magic     uint32 // identifies this save; equal in the files of all players
}

// Read reads the head of a saved game. The rest of the file may be missing.
func Read(src io.Reader) (*Save, error) {
	h, stream, fault := replay.ReadHead(src, maxHead)
	switch {
	case errors.Is(fault, replay.ErrNotReplay):
		return nil, ErrNotSaved
	case fault != nil && stream == nil:
		return nil, fault
	case h.Flags&replay.Multiplayer != 0 || bytes.HasPrefix(stream, []byte{0x10, 1, 0, 0}):
		return nil, fmt.Errorf("%w: it is a replay; try w3host replay info", ErrNotSaved)
	}
	g := &Save{Header: h, Doubt: fault}
	if err := g.Decode(stream); err != nil {
		return nil, errors.Join(fault, err)
	}
	return g, nil
}

// Human is a slot that a player occupied.
type Human struct {
	Slot int
	PID  uint8
}

// Humans returns the slots that players occupied, including fake players of the host.
func (h *Head) Humans() (list []Human) {
	for i, s := range h.Table.Slots {
		if s.Status == w3gs.SlotOccupied && !s.Computer {
			list = append(list, Human{i, s.PID})
		}
	}
	return list
}

// MapFile returns the map's file name without folders.
func (h *Head) MapFile() string {
	return h.MapPath[strings.LastIndexAny(h.MapPath, `\/`)+1:]
}

// Decode reads a head and ignores the bytes after it.
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

// check returns an error for slot tables with which no game can start.
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
		return fmt.Errorf("%w: the slot table has no players", replay.ErrDamaged)
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

// Pack returns a file that contains only the head. A host can read it, the game cannot.
func (h *Head) Pack(by replay.Header) []byte {
	by.Flags &^= replay.Multiplayer
	return replay.Pack(by, h.AppendTo(nil))
}
