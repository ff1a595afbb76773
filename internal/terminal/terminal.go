// Package terminal is what commands know of the terminal they were typed at.
package terminal

import (
	"fmt"
	"os/user"
	"strings"
	"unicode"
	"unicode/utf16"

	"golang.org/x/term"
)

// Is is about a reader or a writer.
func Is(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// User is who types.
func User() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "console"
}

// Printable keeps text from steering the terminal: control characters (C0, C1),
// those that turn the direction of writing, and others that are not seen are
// written as in JSON, \u202e.
func Printable(s string) string {
	if !strings.ContainsFunc(s, unseen) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !unseen(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func unseen(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
