package lobby

import (
	"time"

	"w3host/texts"
	"w3host/w3gs"
)

// Operation is what an owner, an admin or the program asks for. Who may ask is
// not decided here. One that cannot be done gives a *Refusal and changes nothing.
// Slots are indexes into the table, from 0; messages count them from 1.
type Operation Event

// Open opens slots. A player in one of them is kicked.
type Open struct{ Slots []int }

// Close closes slots. A player in one of them is kicked.
type Close struct{ Slots []int }

// OpenAll opens every closed slot.
type OpenAll struct{}

// CloseAll closes every open slot.
type CloseAll struct{}

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

// SetTeam sets the team of the player or computer in a slot. Where the map has
// custom forces, it moves to the first open slot of that team.
type SetTeam struct {
	Slot int
	Team uint8
}

// SetColour sets the colour of a slot that nobody else has.
type SetColour struct {
	Slot   int
	Colour uint8
}

// SetRace sets the race of a slot; RaceSelectable may be left out.
type SetRace struct {
	Slot int
	Race w3gs.Race
}

// SetHandicap sets the handicap of a slot, 50 to 100 in tens.
type SetHandicap struct {
	Slot     int
	Handicap uint8
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

// HCL sets the mode string that the map reads at the start.
type HCL struct{ Text string }

// ClearHCL removes the mode string.
type ClearHCL struct{}

// SetOwner names the owner, who need not be in; empty for nobody.
type SetOwner struct{ Player string }

// Start begins the countdown. Force skips the checks, Now skips the count.
type Start struct{ Force, Now bool }

// Abort stops the countdown, and a start by itself with it.
type Abort struct{}

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

// Judge says why the teams, as they are, are too uneven for a start by itself;
// empty: they are not.
type Judge struct{ Why texts.Text }

// Doubt takes the last Judge back: more is known of the players.
type Doubt struct{}

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

func (Open) event()        {}
func (Close) event()       {}
func (OpenAll) event()     {}
func (CloseAll) event()    {}
func (Swap) event()        {}
func (Shuffle) event()     {}
func (Arrange) event()     {}
func (Computer) event()    {}
func (SetTeam) event()     {}
func (SetColour) event()   {}
func (SetRace) event()     {}
func (SetHandicap) event() {}
func (Observe) event()     {}
func (Kick) event()        {}
func (Hear) event()        {}
func (SetLanguage) event() {}
func (Hold) event()        {}
func (Unhold) event()      {}
func (FakePlayer) event()  {}
func (DeleteFake) event()  {}
func (HCL) event()         {}
func (ClearHCL) event()    {}
func (SetOwner) event()    {}
func (Start) event()       {}
func (Abort) event()       {}
func (AutoStart) event()   {}
func (Judge) event()       {}
func (Doubt) event()       {}
func (Say) event()         {}
func (Mute) event()        {}
func (MuteAll) event()     {}
func (Shutdown) event()    {}
