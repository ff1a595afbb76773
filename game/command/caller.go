package command

import (
	"slices"

	"w3host/texts"
)

// Via is the way a command came in.
type Via string

// Ways.
const (
	ViaLobby   Via = "lobby" // chat in the lobby
	ViaGame    Via = "game"  // chat in the game
	ViaConsole Via = "console"
	ViaWhisper Via = "whisper" // on a realm
	ViaChannel Via = "channel" // of a realm
	ViaControl Via = "control" // the control socket
	ViaWeb     Via = "web"     // a page
	ViaAPI     Via = "api"     // a program with a token
)

// Chat reports whether a command came as a line of a chat, where it begins with a trigger.
func (v Via) Chat() bool {
	return !slices.Contains([]Via{ViaConsole, ViaControl, ViaWeb, ViaAPI}, v)
}

// Caller is the person who gives a command and gets its answer.
type Caller struct {
	PID   uint8 // the seat of a player of the game; 0: none
	Name  string
	Realm string // where the name comes from; empty for the LAN
	Level Level
	// LockedBy is the name of the admin who has locked the lobby, if that takes an admin's level from the caller.
	LockedBy string `json:"-"`
	// Language is the language of answers to the caller.
	Language texts.Language
	Via      Via
	// Columns is how wide the caller's terminal is; 0: it is not known.
	Columns int `json:"-"`
	// Reply takes the answers to a caller without a seat, on any goroutine; it never
	// waits.
	Reply func(text string) `json:"-"`
	// Refuse takes why a command was not done; nil: Reply does.
	Refuse func(why string) `json:"-"`
	// Data takes the facts of Reply as values, for programs; nil: nobody wants them.
	Data func(value any) `json:"-"`
	// Later announces an answer that comes after the command has returned. The
	// function that it returns is called once that answer is given. nil: nobody waits.
	Later func() (given func()) `json:"-"`
}

// Refusal says why the caller cannot use a command that needs a level.
func (c *Caller) Refusal(needs Level, name string) error {
	if c.LockedBy != "" && needs <= Admin {
		return texts.Refuse(texts.Denied, "%s has locked this lobby: only its owner and root command it", c.LockedBy)
	}
	return texts.Refuse(texts.Denied, "only %v can use %s", needs, name)
}

// Pending calls Later, if anybody waits.
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

// Give hands values to a caller who wants some.
func (c *Caller) Give(values func() any) {
	if c.Data != nil {
		c.Data(values())
	}
}

// Deny sends a caller without a seat the reason of a refusal.
func (c *Caller) Deny(why string) {
	if c.Refuse != nil {
		c.Refuse(why)
		return
	}
	c.Answer(why)
}
