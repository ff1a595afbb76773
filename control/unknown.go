package control

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"w3host/game/command"
	"w3host/texts"
)

// A player in a game reads at most once in hintEvery that a command does not exist.
const (
	hintEvery = 30 * time.Second
	hintsKept = 1000
)

// hinted is a player of a game.
type hinted struct {
	game uint32
	pid  uint8
	name string
}

// answersUnknown reports whether the caller of a line that is no command is told so, and
// names the command that may be meant. Players begin lines with all sorts of signs: those
// without a word, and all in a realm's channel, are not answered.
func (d *target) answersUnknown(r *request, out *command.Outcome) bool {
	by := r.by
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(r.line))
	isPlayer := r.chat && by.Level < command.Owner
	switch {
	case by.Via == command.ViaChannel, isPlayer && !unicode.IsLetter(first), isPlayer && !d.hint(r):
		return false
	case isWrongPhase(out.Err):
		return true
	}
	known := slices.Concat(d.ofHost.Names(by.Level), d.ofGames.Names(by.Level))
	out.Err = command.NoCommand(r.line, d.trigger(&call{Caller: by}), known)
	return true
}

// isWrongPhase reports whether run has found the command of a game.
func isWrongPhase(err error) bool {
	r, ok := err.(*texts.Refusal)
	return ok && r.Code == texts.WrongPhase
}

// hint reports whether a player may read such a hint now.
func (o *Operator) hint(r *request) bool {
	who, now := hinted{r.game, r.by.PID, r.by.Name}, time.Now()
	if at, ok := o.hints[who]; ok && now.Sub(at) < hintEvery {
		return false
	}
	if len(o.hints) >= hintsKept {
		clear(o.hints)
	}
	o.hints[who] = now
	return true
}
