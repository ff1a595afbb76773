package main

import (
	"context"
	"strings"

	"github.com/rs/zerolog"

	"w3host/command"
	"w3host/host"
	"w3host/realm"
)

// confirmWord is what a player whispers so that the host knows the name.
const confirmWord = "sc"

// speechQueue is how many lines of realms may wait.
const speechQueue = 64

// obeyer carries out the line of a caller, for a game or, with 0, for the host.
type obeyer interface {
	Do(ctx context.Context, by *command.Caller, id uint32, line string) error
}

// listener takes what people say on realms. The realm vouches for their names.
type listener struct {
	host    *host.Host
	admins  host.Admins
	trigger string
	lines   chan realm.Speech
	log     zerolog.Logger
}

func newListener(h *host.Host, admins host.Admins, trigger string, log zerolog.Logger) *listener {
	return &listener{h, admins, trigger, make(chan realm.Speech, speechQueue), log}
}

// heard runs on an account's goroutine and does not wait. Lines of a channel are
// for us only if they begin as commands do.
func (l *listener) heard(s realm.Speech) {
	s.Text = strings.TrimSpace(s.Text)
	line, command := strings.CutPrefix(s.Text, l.trigger)
	switch {
	case s.Whisper && strings.EqualFold(line, confirmWord):
		l.host.Vouch(s.Realm, s.From)
		s.Reply("Thank you, " + s.From + ".")
		return
	case line == "", !command && !s.Whisper:
		return
	}
	s.Text = line
	select {
	case l.lines <- s:
	default:
		l.log.Warn().Str("realm", s.Realm).Str("from", s.From).Msg("command dropped: too many wait")
	}
}

// run obeys until ctx ends.
func (l *listener) run(ctx context.Context, to obeyer) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-l.lines:
			by, id := l.caller(s)
			if err := to.Do(ctx, by, id, s.Text); err != nil {
				s.Reply(err.Error())
			}
		}
	}
}

// caller is who speaks, and the lobby or game that they are in.
func (l *listener) caller(s realm.Speech) (*command.Caller, uint32) {
	by := &command.Caller{Name: s.From, Realm: s.Realm, Via: command.ViaChannel, Reply: s.Reply}
	if s.Whisper {
		by.Via = command.ViaWhisper
	}
	by.Level = l.admins.Level(s.From, s.Realm)
	id, owns := l.host.Standing(s.Realm, s.From)
	if owns {
		by.Level = max(by.Level, command.Owner)
	}
	return by, id
}
