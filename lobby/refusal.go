package lobby

import "w3host/texts"

// Refusal answers an operation that cannot be done: a code for programs, and one
// line for whoever asked. It is an effect and an error.
type Refusal struct {
	Code Code
	Text texts.Text
}

// Error is the line.
func (r *Refusal) Error() string { return r.Text.String() }

// In is the line in a language.
func (r *Refusal) In(l texts.Language) string { return r.Text.In(l) }

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

// Refuse makes a Refusal.
func Refuse(code Code, format string, values ...any) *Refusal {
	return &Refusal{code, texts.Of(format, values...)}
}

// outOfRange is the one wording for a number that is not possible here; package
// command has the same for numbers that never are.
func outOfRange(what string, low, high int) *Refusal {
	return Refuse(OutOfRange, "the %v must be from %d to %d", texts.Known(what), low, high)
}

func noPlayer(pid uint8) *Refusal { return Refuse(NoSuch, "there is no player with pid %d", pid) }
