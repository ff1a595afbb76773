package bncs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"w3host/protocol/w3gs"
)

// MaxStat is the maximum length of a stat string that a PvPGN server lists. It does not answer requests with longer
// ones.
const MaxStat = 128

// GameStat is the stat string of a listed game: free slots as one base-36 digit · game id as 8 hex digits, lowest first
// · the stat string used on the LAN.
type GameStat struct {
	Free   int
	GameID uint32 // joiners send it in 0x1E
	Stat   w3gs.StatString
}

// Encode returns the string, or an error that says what to shorten.
func (s *GameStat) Encode() (string, error) {
	digits := fmt.Appendf(nil, "%08x", s.GameID)
	slices.Reverse(digits)
	b := strconv.AppendInt(nil, int64(min(max(s.Free, 0), 35)), 36)
	b = s.Stat.AppendTo(append(b, digits...))
	if len(b) <= MaxStat {
		return string(b), nil
	}
	room := 88
	if s.Stat.HasSHA1 {
		room = 68
	}
	return "", fmt.Errorf("the map's path %q (%d bytes) and the host's name %q (%d bytes) are too long for a realm: together at most %d bytes; shorten the file name of the map, or host.name",
		s.Stat.MapPath, len(s.Stat.MapPath), s.Stat.HostName, len(s.Stat.HostName), room)
}

// ParseGameStat parses the stat string of a listed game.
func ParseGameStat(text string) (s GameStat, err error) {
	const head = 9
	if len(text) < head {
		return s, fmt.Errorf("stat string: %w", errShort)
	}
	free, err := strconv.ParseUint(strings.ToLower(text[:1]), 36, 8)
	if err != nil {
		return s, fmt.Errorf("stat string: free slots %q", text[:1])
	}
	digits := []byte(text[1:head])
	slices.Reverse(digits)
	id, err := strconv.ParseUint(string(digits), 16, 32)
	if err != nil {
		return s, fmt.Errorf("stat string: game id %q", text[1:head])
	}
	s.Free, s.GameID = int(free), uint32(id)
	return s, s.Stat.Decode([]byte(text[head:]))
}
