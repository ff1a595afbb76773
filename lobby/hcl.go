package lobby

import (
	"strings"

	"w3host/texts"
	"w3host/w3gs"
)

// hclTable maps 0, 1, 2 … to the bytes that are no handicap a map could meet in
// an ordinary game: all but 0, 50, 60, 70, 80, 90 and 100.
var hclTable = func() (table []uint8) {
	for b := 1; b < 256; b++ {
		if b < 50 || b > 100 || b%10 != 0 {
			table = append(table, uint8(b))
		}
	}
	return table
}()

// HCL is the mode string that the map will read; empty for none.
func (l *Lobby) HCL() string { return l.hcl }

func (op HCL) apply(l *Lobby) *texts.Refusal {
	if no := checkMode(op.Text); no != nil {
		return no
	}
	if len(op.Text) > len(l.slots) {
		return texts.Refuse(texts.Malformed, "the mode %q is too long: this map has %d slots", op.Text, len(l.slots))
	}
	l.hcl = op.Text
	return nil
}

func checkMode(text string) *texts.Refusal {
	for _, r := range text {
		if !strings.ContainsRune(w3gs.HCLLetters, r) {
			return texts.Refuse(texts.Malformed, "a mode cannot hold %q: use small letters, digits, space and - = , .", r)
		}
	}
	return nil
}

// checkHCL says why the mode string cannot be written.
func (l *Lobby) checkHCL() *texts.Refusal {
	if no := checkMode(l.hcl); no != nil {
		return no
	}
	c := l.Counts()
	if n := c.Players() + c.Computers; len(l.hcl) > n {
		return texts.Refuse(texts.NotYet, "the mode %q needs %d occupied slots, there are %d", l.hcl, len(l.hcl), n)
	}
	return nil
}

// writeHCL puts the mode string into the handicaps of the occupied slots, a
// letter each: table[(handicap − 50) / 10 + 6 × letter].
func (l *Lobby) writeHCL() {
	text := l.hcl
	for i := range l.slots {
		s := &l.slots[i]
		if text == "" {
			return
		}
		if s.Status != w3gs.SlotOccupied {
			continue
		}
		step := (int(min(max(s.Handicap, 50), 100)) - 50) / 10
		s.Handicap = hclTable[step+6*strings.IndexByte(w3gs.HCLLetters, text[0])]
		text = text[1:]
	}
}
