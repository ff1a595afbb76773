// Package command reads what owners and admins type into the chat: a line
// becomes a typed command, or one sentence that says what to type instead. It
// knows who may use what and explains it; it carries nothing out.
package command

import (
	"time"

	"w3host/w3gs"
)

// Level is what somebody may do; each level includes those before it.
type Level uint8

// Levels.
const (
	Anyone  Level = iota // anyone in the game
	StandIn              // for an owner who is not in; see lobby.Lobby.StandIn
	Owner                // of the lobby
	Admin
	Root // whoever runs the host
)

// String names the level in "you must be …".
func (l Level) String() string {
	return [...]string{"a player", "the owner or a stand-in", "the owner", "an admin", "root"}[l]
}

// Phase is when a command makes sense; a set.
type Phase uint8

// Phases.
const (
	InLobby Phase = 1 << iota
	InGame

	Always = InLobby | InGame
)

// Command is one of the types below.
type Command interface{ command() }

// Target is whom a command is about: a player by a part of his name, or a slot
// by its number from 1.
type Target struct {
	Player string
	Slot   int
}

type (
	// Start begins the countdown; Force skips the checks, Now skips the count too.
	Start struct{ Force, Now bool }
	// Abort stops the countdown.
	Abort struct{}
	// AutoStart starts with so many players, after they have been in for Hold; Off
	// turns it off.
	AutoStart struct {
		Players int
		Hold    time.Duration
		Off     bool
	}
	// Open opens slots, counted from 1.
	Open struct{ Slots []int }
	// Close closes slots, counted from 1.
	Close struct{ Slots []int }
	// OpenAll opens all closed slots.
	OpenAll struct{}
	// CloseAll closes all open slots.
	CloseAll struct{}
	// Swap exchanges two slots, counted from 1.
	Swap struct{ A, B int }
	// Shuffle deals the players anew to their places.
	Shuffle struct{}
	// Hold reserves places by name.
	Hold struct{ Names []string }
	// Unhold takes reservations back.
	Unhold struct{ Names []string }
	// Kick removes a player; CloseSlot closes his slot as well.
	Kick struct {
		Player, Reason string
		CloseSlot      bool
	}
	// Computer puts a computer into a slot.
	Computer struct {
		Slot int
		AI   w3gs.AI
	}
	// Team moves somebody to a team, counted from 1.
	Team struct {
		Target
		Team int
	}
	// Colour gives somebody a colour.
	Colour struct {
		Target
		Colour uint8
	}
	// Race gives somebody a race.
	Race struct {
		Target
		Race w3gs.Race
	}
	// Handicap gives somebody a handicap in percent.
	Handicap struct {
		Target
		Percent int
	}
	// FakePlayer adds players that only hold a slot.
	FakePlayer struct{ Count int }
	// DeleteFake removes them.
	DeleteFake struct{}
	// Observe moves a player to the observers.
	Observe struct{ Player string }
	// HCL sets the mode string of the map; empty asks for it.
	HCL struct{ Text string }
	// ClearHCL removes the mode string.
	ClearHCL struct{}
	// SetOwner gives the lobby to somebody; empty asks who has it.
	SetOwner struct{ Player string }
	// Download lets one player have the map.
	Download struct{ Player string }
	// Downloads sets who may download: on, off, ask.
	Downloads struct{ Mode string }
	// Latency sets the period of the turns; 0 asks for it.
	Latency struct{ Period time.Duration }
	// SyncLimit sets how many turns a player may be behind; 0 asks for it.
	SyncLimit struct{ Turns int }
	// Drop removes the players on the lag screen.
	Drop struct{}
	// End ends the game.
	End struct{}
	// Mute stops or restores the relay of a player's lines.
	Mute struct {
		Player string
		Off    bool
	}
	// MuteAll stops or restores lines to all.
	MuteAll struct{ Off bool }
	// Say lets the host speak.
	Say struct{ Text string }
	// Unhost closes the lobby.
	Unhost struct{}
	// Ping shows everybody's round trip; a limit kicks who is above it.
	Ping struct{ Limit time.Duration }
	// Help explains one command, or lists those that the caller may use.
	Help struct{ Topic string }
	// Version asks for the program's version.
	Version struct{}
)

func (Start) command()      {}
func (Abort) command()      {}
func (AutoStart) command()  {}
func (Open) command()       {}
func (Close) command()      {}
func (OpenAll) command()    {}
func (CloseAll) command()   {}
func (Swap) command()       {}
func (Shuffle) command()    {}
func (Hold) command()       {}
func (Unhold) command()     {}
func (Kick) command()       {}
func (Computer) command()   {}
func (Team) command()       {}
func (Colour) command()     {}
func (Race) command()       {}
func (Handicap) command()   {}
func (FakePlayer) command() {}
func (DeleteFake) command() {}
func (Observe) command()    {}
func (HCL) command()        {}
func (ClearHCL) command()   {}
func (SetOwner) command()   {}
func (Download) command()   {}
func (Downloads) command()  {}
func (Latency) command()    {}
func (SyncLimit) command()  {}
func (Drop) command()       {}
func (End) command()        {}
func (Mute) command()       {}
func (MuteAll) command()    {}
func (Say) command()        {}
func (Unhost) command()     {}
func (Ping) command()       {}
func (Help) command()       {}
func (Version) command()    {}
