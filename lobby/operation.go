package lobby

import (
	"time"

	"w3host/texts"
	"w3host/w3gs"
)

// Operation is what an owner, an admin or the program asks for. Who may ask is
// not decided here. One that cannot be done gives a *texts.Refusal and changes nothing.
// Slots are indexes into the table, from 0; messages count them from 1.
type Operation interface{ apply(l *Lobby) *texts.Refusal }

// try carries out an operation, or says why it cannot be done in this phase.
func (l *Lobby) try(op Operation) *texts.Refusal {
	last := phaseOpen // in which it can be done
	switch op.(type) {
	case Say, Mute, MuteAll, Hear, SetLanguage, SetOwner, Kick:
		last = phaseStarted
	case Start, Abort, AutoStart, Ready, HCL, Hold, Unhold, Shutdown:
		last = phaseCounting
	}
	switch {
	case l.phase <= last:
		return op.apply(l)
	case l.phase == phaseCounting:
		return texts.Refuse(texts.Counting, "the countdown runs: abort it first")
	case l.phase == phaseStarted:
		return texts.Refuse(texts.TooLate, "the game has started")
	}
	return texts.Refuse(texts.TooLate, "the lobby is closed")
}

// Open opens slots. A player in one of them is kicked.
type Open struct{ Slots []int }

// Close closes slots. A player in one of them is kicked.
type Close struct{ Slots []int }

// SetAll closes every open slot, or opens every closed one.
type SetAll struct{ Closed bool }

// Swap lets two slots change places; what the map fixes stays with the place.
type Swap struct{ A, B int }

// Shuffle deals the human players anew to the places they hold together.
type Shuffle struct{}

// Arrange gives the places of the playing humans, in slot order, to the players
// of these pids. Teams stay with the places.
type Arrange struct{ PIDs []uint8 }

// Computer puts a computer into a slot, or changes one. A player there is
// kicked.
type Computer struct {
	Slot int
	AI   w3gs.AI
}

// Set changes an attribute of the player or computer in a slot, as a 0x28 asks for
// its sender: the team (in custom forces the slot then moves to the first open one
// of it), the colour, the race without w3gs.RaceSelectable, or the handicap.
type Set struct {
	Slot  int
	What  w3gs.ChatFlag
	Value uint8
}

// Observe moves a player to the observers.
type Observe struct{ PID uint8 }

// Kick removes a player, also from a game; CloseSlot also closes the slot.
type Kick struct {
	PID       uint8
	Why       texts.Text
	By        string // who asks for it; empty when no person does
	CloseSlot bool
	KeepOut   bool // for Config.KickCooldown
}

// Hear says whether a player reads what the host says to everybody.
type Hear struct {
	PID uint8
	Off bool
}

// SetLanguage says what a player reads the host in.
type SetLanguage struct {
	PID      uint8
	Language texts.Language
}

// Hold reserves places by name. Whoever was kicked may come back then.
type Hold struct{ Names []string }

// Unhold takes reservations back.
type Unhold struct{ Names []string }

// FakePlayer adds slot holders that never act, in the first open slots.
type FakePlayer struct{ Count int }

// DeleteFake removes one fake player, or all of them with pid 0.
type DeleteFake struct{ PID uint8 }

// HCL sets the mode string that the map reads at the start; empty for none.
type HCL struct{ Text string }

// SetOwner names the owner, who need not be in; empty for nobody.
type SetOwner struct{ Player string }

// Start begins the countdown. Force skips the checks, Now skips the count.
type Start struct{ Force, Now bool }

// Abort stops the countdown, and a start by itself with it.
type Abort struct{}

// Ready says whether a player is ready to start.
type Ready struct {
	PID uint8
	Off bool
}

// AutoStart sets when the lobby starts by itself: with so many humans, or when
// no slot is open, and after that has held for Hold. Neither turns it off.
type AutoStart struct {
	Players int
	Full    bool
	Ready   bool // only when everybody says so
	Hold    time.Duration
	// Balanced also waits until a Judge has said that the teams are even.
	Balanced bool
}

// Say lets the host speak, to some players or, with an empty To, to all. Long
// texts are split.
type Say struct {
	To   w3gs.PIDs
	Text texts.Text
}

// Mute stops or restores the relay of a player's lines.
type Mute struct {
	PID uint8
	Off bool // unmute
}

// MuteAll stops or restores lines to everybody; players of one team still hear
// each other.
type MuteAll struct{ Off bool }

// Shutdown ends the lobby: everybody is told and kicked.
type Shutdown struct{ Why texts.Text }
