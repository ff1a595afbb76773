// Package terminal provides helpers for programs used at a terminal: detecting one, its width, tables, word
// wrap, and escaping text that could control it. The command line and the log use it.
package terminal

import (
	"fmt"
	"os/user"
	"strings"
	"unicode"
	"unicode/utf16"

	"golang.org/x/term"
)

// Is reports whether a reader or writer is a terminal.
func Is(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// User returns the name of the user who runs the program.
func User() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "console"
}

// Printable escapes characters that could control the terminal: control characters (C0, C1), directional
// overrides and other invisible characters are written as in JSON, for example \u202e.
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
