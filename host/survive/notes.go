package survive

import (
	"encoding/binary"
	"errors"
	"slices"

	"w3host/game"
)

// note processes a note about a link.
func (v *Rerun) note(number byte, text []byte) error {
	if number == noteHead {
		return nil
	}
	id, k := binary.Uvarint(text)
	l := v.link(game.LinkID(id))
	if k <= 0 || l == nil {
		return errors.New("a note about nobody")
	}
	text = text[k:]
	switch number {
	case noteBase:
		return v.base(l, text)
	case noteRest:
		l.Rest = append(l.Rest, text...)
	case noteDone:
		n, err := numbers(&text, 2)
		if err != nil {
			return err
		}
		l.done(int(n[0]))
		l.got(n[1])
	case noteParts:
		n, err := numbers(&text, 1)
		if err != nil {
			return err
		}
		return l.frame(n[0], &v.Config, v.parts)
	case noteProxy:
		return v.meetProxy(l, text)
	case noteExt:
		return v.extension(l, text)
	}
	return nil
}

// numbers parses count numbers from the front of a note. Each is below 1<<31.
func numbers(text *[]byte, count int) (list [7]uint64, err error) {
	for i := range count {
		n, k := binary.Uvarint(*text)
		if k <= 0 {
			return list, errBroken
		}
		list[i], *text = n, (*text)[k:]
	}
	return list, nil
}

var errBroken = errors.New("a broken note")

// base restores the positions that Stream.Base recorded.
func (v *Rerun) base(l *Link, text []byte) error {
	n, err := numbers(&text, 3)
	if err != nil || n[2] > uint64(len(text)) {
		return errBroken
	}
	if v.written == nil {
		return nil
	}
	l.Held, l.Taken, l.Written, l.Skip = true, n[0], n[1], 0
	l.Rest, l.Queue = slices.Clone(text[:n[2]]), nil
	l.wrote(v.written, l.ID)
	l.queue(text[n[2]:])
	return nil
}
