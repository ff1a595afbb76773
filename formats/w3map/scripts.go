package w3map

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
)

// ErrLineEnds reports a script whose CR LF line ends were converted. Its checksums would be wrong, and every
// client would leave after the map check.
var ErrLineEnds = errors.New("has LF line ends where the game has CR LF, so that every client would refuse the map; " +
	"copy it from the game again, with a tool that leaves line ends alone")

// Scripts holds common.j and blizzard.j of one game version, which enter the checksum of every map. They are
// hashed only once. Scripts is safe for concurrent use.
type Scripts struct {
	common, blizzard []byte
	prefix           *pieces // hash state after both scripts and the mark
}

// NewScripts returns Scripts for the contents of common.j and blizzard.j. It retains both slices. It returns
// an error if a file is empty or has the wrong line ends.
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

// Key returns a string that identifies the pair of scripts, for use as a cache key. A nil *Scripts has the
// key "".
func (s *Scripts) Key() string {
	if s == nil {
		return ""
	}
	var sum [sha1.Size]byte
	s.prefix.sum(sum[:])
	return fmt.Sprintf("%x", sum)
}
