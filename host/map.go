package host

import (
	"fmt"

	"w3host/formats/w3map"
	"w3host/game"
	"w3host/host/takeover"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
)

// Map is a map that can be hosted: its description, and its bytes in frames.
type Map struct {
	*w3map.Map
	Parts *mapxfer.Parts
}

// Split implements takeover.Map.
func (m *Map) Split() *mapxfer.Parts { return m.Parts }

// Reopen opens the maps of lobbies that an earlier process has left, by a function as Autohost.Open.
func Reopen(open func(file string, seen []w3gs.Version) (*Map, error)) takeover.OpenMap {
	return func(h *takeover.Header, was *game.Config) (takeover.Map, error) {
		file := h.Map
		if h.Entry != "" && !h.Again {
			file = h.File
		}
		m, err := open(file, was.Seen())
		if err == nil {
			m, err = m.again(&was.Map)
		}
		if err != nil {
			return nil, err
		}
		return m, nil
	}
}

// again is the map for a lobby that was opened with it before, as its players know it. It has to be the same file.
func (m *Map) again(was *game.Map) (*Map, error) {
	is := m.Identifiers
	if is.Size != was.Size || is.CRC32 != was.CRC32 || is.Checksum != was.Checksum || is.SHA1 != was.SHA1 {
		return nil, fmt.Errorf("the map %s is another file than it was (CRC-32 %08x and not %08x, SHA-1 %x and not %x)", m.File, is.CRC32, was.CRC32, is.SHA1, was.SHA1)
	}
	own := *m.Map
	own.Path = was.Path
	return &Map{Map: &own, Parts: m.Parts}, nil
}
