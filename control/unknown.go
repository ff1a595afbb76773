package control

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"w3host/game/command"
)

// A player in a game reads at most once in hintEvery that a command does not exist.
const hintEvery = 30 * time.Second

// hinted is a player of a game.
type hinted struct {
	game uint32
	pid  uint8
	name string
}

// hints reports whether the caller of a line that is no command is told so. Players begin
// lines with all sorts of signs: those without a word, and all in a realm's channel, are
// not answered, and each player only once in hintEvery.
func (d *target) hints(r *request) bool {
	if r.by.Via == command.ViaChannel || r.by.PID == 0 || r.by.Level >= command.Owner {
		return r.by.Via != command.ViaChannel
	}
	if first, _ := utf8.DecodeRuneInString(strings.TrimSpace(r.line)); !unicode.IsLetter(first) {
		return false
	}
	return d.hinted.Allow(time.Now(), hinted{r.game, r.by.PID, r.by.Name})
}
