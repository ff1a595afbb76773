package command

import "fmt"

// Refusal is why a line was not carried out: a code for programs, and one line for
// the caller that says what to type instead.
type Refusal struct {
	Code Code
	Text string
}

// Error is the line.
func (r *Refusal) Error() string { return r.Text }

// Code is the kind of a Refusal.
type Code string

// Codes.
const (
	Unknown    Code = "unknown"     // there is no such command
	Denied     Code = "denied"      // the caller may not
	Malformed  Code = "malformed"   // wrong arguments
	WrongPhase Code = "wrong phase" // not in the lobby, or only there
)

// Refuse makes a Refusal.
func Refuse(code Code, format string, values ...any) *Refusal {
	return &Refusal{code, fmt.Sprintf(format, values...)}
}
