package command

import "w3host/texts"

// Refusal is why a line was not carried out: a code for programs, and one line for
// the caller that says what to type instead.
type Refusal struct {
	Code Code
	Text texts.Text
}

// Error is the line.
func (r *Refusal) Error() string { return r.Text.String() }

// In is the line in a language.
func (r *Refusal) In(l texts.Language) string { return r.Text.In(l) }

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
	return &Refusal{code, texts.Of(format, values...)}
}
