package w3map

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
)

// ErrLineEnds says that a script is a copy that lost its CR LF line ends. Its checksums would be wrong, and every
// client would leave as soon as it has checked the map.
var ErrLineEnds = errors.New("has LF line ends where the game has CR LF, so that every client would refuse the map; " +
	"copy it from the game again, with a tool that leaves line ends alone")

// Scripts are the two script files of the game that enter a map's checksum, of one version of the game. They are
// hashed once, so that many maps cost no more than one. Scripts may be used from several goroutines at once.
type Scripts struct {
	common, blizzard []byte
	prefix           *pieces // after both of them and the mark
}

// NewScripts takes the contents of common.j and blizzard.j, and keeps them.
func NewScripts(common, blizzard []byte) (*Scripts, error) {
	s := &Scripts{common: common, blizzard: blizzard, prefix: newPieces(true, nil)}
	for _, script := range []struct {
		name string
		data []byte
	}{{"common.j", common}, {"blizzard.j", blizzard}} {
		switch {
		case len(script.data) == 0:
			return nil, fmt.Errorf("%s is empty", script.name)
		case !bytes.Contains(script.data, []byte("\r")):
			return nil, fmt.Errorf("%s %w", script.name, ErrLineEnds)
		}
		s.prefix.Write(script.data)
		s.prefix.endScript()
	}
	s.prefix.endScripts()
	return s, nil
}

// Key tells one pair of scripts from another, for callers that keep values computed with them. It is "" for none.
func (s *Scripts) Key() string {
	if s == nil {
		return ""
	}
	var sum [sha1.Size]byte
	s.prefix.sum(sum[:])
	return fmt.Sprintf("%x", sum)
}
