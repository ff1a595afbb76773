package main

import (
	"strings"

	"w3host/host"
	"w3host/realm"
)

// listener takes what people say on realms.
type listener struct {
	h *host.Host
}

// confirmWord is what a player whispers so that the host knows the name.
const confirmWord = "sc"

// heard runs on an account's goroutine and does not wait.
func (l listener) heard(s realm.Speech) {
	if s.Whisper && strings.EqualFold(strings.TrimSpace(s.Text), confirmWord) {
		l.h.Vouch(s.Realm, s.From)
		s.Reply("Thank you, " + s.From + ".")
	}
}
