package command

import (
	"slices"

	"w3host/texts"
)

// Via is the channel through which a command was given.
type Via string

// The values of Via. They are stored in the audit log.
const (
	ViaLobby   Via = "lobby" // chat in the lobby
	ViaGame    Via = "game"  // chat in the game
	ViaConsole Via = "console"
	ViaWhisper Via = "whisper" // whisper on a realm
	ViaChannel Via = "channel" // channel on a realm
	ViaControl Via = "control" // control socket
	ViaWeb     Via = "web"     // web console
	ViaAPI     Via = "api"     // web API
)

// Chat reports whether the command was a chat line, where commands start with a trigger.
func (v Via) Chat() bool {
	return !slices.Contains([]Via{ViaConsole, ViaControl, ViaWeb, ViaAPI}, v)
}

// Caller is the person who gives a command and gets its answer.
type Caller struct {
	PID   uint8 // pid of the caller's seat in the game, or 0
	Name  string
	Realm string // realm that confirms the name; empty for the LAN
	Level Level
	// LockedBy is the admin who has locked the lobby, if that deprives the caller of an admin's level.
	LockedBy string `json:"-"`
	// Language is the language of answers to the caller.
	Language texts.Language
	Via      Via
	// Columns is the width of the caller's terminal, or 0 if unknown.
	Columns int `json:"-"`
	// Reply receives the answers for callers without a seat. It may be called on any goroutine and must not block.
	Reply func(text string) `json:"-"`
	// Refuse receives the reason of a refusal; if it is nil, Reply does.
	Refuse func(why string) `json:"-"`
	// Data receives the answer as values for programs; it may be nil.
	Data func(value any) `json:"-"`
	// Later registers an answer that comes after the command has returned; the returned function is called when it was
	// given. It may be nil.
	Later func() (given func()) `json:"-"`
	// Outlive has the caller wait for a pending answer even if this host stops hosting meanwhile, as in an upgrade.
	// nil: the caller cannot.
	Outlive func() `json:"-"`
}

// Refusal returns the error for a caller who lacks the level for a command.
func (c *Caller) Refusal(needs Level, name string) error {
	if c.LockedBy != "" && needs <= Admin {
		return texts.Refuse(texts.Denied, "%s has locked this lobby: only its owner and root command it", c.LockedBy)
	}
	return texts.Refuse(texts.Denied, "only %v can use %s", needs, name)
}

// Pending calls Later if it is set.
func (c *Caller) Pending() (given func()) {
	if c.Later == nil {
		return func() {}
	}
	return c.Later()
}

// Answer sends an answer to a caller without a seat.
func (c *Caller) Answer(text string) {
	if c.Reply != nil {
		c.Reply(text)
	}
}

// Give passes values to a caller who wants them.
func (c *Caller) Give(values func() any) {
	if c.Data != nil {
		c.Data(values())
	}
}

// Deny tells a caller without a seat why a command was refused.
func (c *Caller) Deny(why string) {
	if c.Refuse != nil {
		c.Refuse(why)
		return
	}
	c.Answer(why)
}
