package lobby

import (
	"strings"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// HCL returns the mode string for the map, or "".
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
	if rest := strings.TrimLeft(text, w3gs.HCLLetters); rest != "" {
		return texts.Refuse(texts.Malformed, "a mode cannot contain %q: use lower-case letters, digits, spaces, periods, commas, - and =", []rune(rest)[0])
	}
	return nil
}

// checkHCL returns why the mode string cannot be used, or nil.
func (l *Lobby) checkHCL() *texts.Refusal {
	if no := checkMode(l.hcl); no != nil {
		return no
	}
	c := l.Counts()
	if n := c.Players() + c.Computers; len(l.hcl) > n {
		return texts.Refuse(texts.NotYet, "the mode %q needs %d occupied slots, but there are only %d", l.hcl, len(l.hcl), n)
	}
	return nil
}
