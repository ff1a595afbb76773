package texts

// Refusal says that something asked for cannot be done: a code for programs, and
// one line for the person who asked that says what to do instead.
type Refusal struct {
	Code Code
	Text Text
}

// Refuse makes a Refusal.
func Refuse(code Code, format string, values ...any) *Refusal {
	return &Refusal{code, Of(format, values...)}
}

// Error is the line.
func (r *Refusal) Error() string { return r.Text.String() }

// In is the line in a language.
func (r *Refusal) In(l Language) string { return r.Text.In(l) }

// Code is the kind of a Refusal.
type Code string

// Codes.
const (
	Unknown    Code = "unknown"      // there is no such command
	Denied     Code = "denied"       // the caller may not
	Malformed  Code = "malformed"    // wrong arguments; a name, mode or text that cannot be
	WrongPhase Code = "wrong phase"  // not in the lobby, or only there
	Fixed      Code = "fixed"        // the map, or the choice for the game, does not have it
	OutOfRange Code = "out of range" // a number that is not possible here
	NoSuch     Code = "no such"      // whom or what it is about is not there
	NotHuman   Code = "not human"    // only a player with a client will do
	Taken      Code = "taken"        // somebody else has it
	Full       Code = "full"         // no place is left
	NotYet     Code = "not yet"      // players are not ready; the same may do later
	Counting   Code = "counting"     // the countdown runs
	TooLate    Code = "too late"     // the game has started, the lobby is closed
)
