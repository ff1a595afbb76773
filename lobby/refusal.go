package lobby

import "fmt"

// Refusal answers an operation that cannot be done: a code for programs, and one
// line for whoever asked. It is an effect and an error.
type Refusal struct {
	Code Code
	Text string
}

// Error is the line.
func (r *Refusal) Error() string { return r.Text }

func (*Refusal) effect() {}

// Code is the kind of a Refusal.
type Code string

// Codes.
const (
	Fixed      Code = "fixed"        // the map, or what is chosen for the game, does not have it
	OutOfRange Code = "out of range" // a number that is not possible here
	Malformed  Code = "malformed"    // a name, mode or text that cannot be
	NoSuch     Code = "no such"      // whom or what it is about is not there
	NotHuman   Code = "not human"    // only a player with a client will do
	Taken      Code = "taken"        // somebody else has it
	Full       Code = "full"         // no place is left
	NotYet     Code = "not yet"      // players are not ready; the same may do later
	Counting   Code = "counting"     // the countdown runs
	TooLate    Code = "too late"     // the game has started, the lobby is closed
)

func refuse(code Code, format string, values ...any) *Refusal {
	return &Refusal{code, fmt.Sprintf(format, values...)}
}

// outOfRange is the one wording for a number that is not possible here; package
// command has the same for numbers that never are.
func outOfRange(what string, low, high int) *Refusal {
	return refuse(OutOfRange, "the %s must be from %d to %d", what, low, high)
}

func noPlayer(pid uint8) *Refusal { return refuse(NoSuch, "there is no player with pid %d", pid) }
