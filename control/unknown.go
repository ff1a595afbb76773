package control

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"w3host/game/command"
)

// hintEvery is the minimum time between two hints to the same player that a command does not exist.
const hintEvery = 30 * time.Second

// hinted identifies a player of a game.
type hinted struct {
	game uint32
	pid  uint8
	name string
}

// hints reports whether to tell the caller that the command does not exist. Players begin chat lines with all kinds of
// signs, so lines without a word and lines in a realm channel get no answer, and each player gets one at most once per
// hintEvery.
func (d *target) hints(r *request) bool {
	if r.by.Via == command.ViaChannel || r.by.PID == 0 || r.by.Level >= command.Owner {
		return r.by.Via != command.ViaChannel
	}
	if first, _ := utf8.DecodeRuneInString(strings.TrimSpace(r.line)); !unicode.IsLetter(first) {
		return false
	}
	return d.hinted.Allow(time.Now(), hinted{r.game, r.by.PID, r.by.Name})
}
