package texts

// Refusal is the error for a command that cannot be carried out: a code for programs, and a text for the person who gave
// the command that says what to do instead.
type Refusal struct {
	Code Code
	Text Text
}

// Refuse returns a Refusal whose text is Of(format, values...).
func Refuse(code Code, format string, values ...any) *Refusal {
	return &Refusal{code, Of(format, values...)}
}

// Error returns the text in English.
func (r *Refusal) Error() string { return r.Text.String() }

// In returns the text in a language.
func (r *Refusal) In(l Language) string { return r.Text.In(l) }

// Code is the machine-readable reason of a Refusal.
type Code string

// The codes of refusals. They are part of the web API.
const (
	Unknown    Code = "unknown"      // no such command
	Denied     Code = "denied"       // the caller has no permission
	Malformed  Code = "malformed"    // wrong arguments, or an invalid name, mode or text
	WrongPhase Code = "wrong phase"  // the command works only in the lobby, or only outside it
	Fixed      Code = "fixed"        // the map or the kind of game fixes this setting
	OutOfRange Code = "out of range" // a number is out of its range
	NoSuch     Code = "no such"      // the player, slot or other object does not exist
	NotHuman   Code = "not human"    // only a player with a client can be meant
	Taken      Code = "taken"        // somebody else has the slot, name or colour
	Full       Code = "full"         // no slot or place is left
	NotYet     Code = "not yet"      // players are not ready; the command may succeed later
	Counting   Code = "counting"     // the countdown is running
	TooLate    Code = "too late"     // the game has started or the lobby is closed
)
