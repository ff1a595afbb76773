package w3gs

import "strings"

// CutTag splits the name off a battle tag ("name#1234") and reports whether tag is one. Otherwise it returns
// tag unchanged.
func CutTag(tag string) (name string, ok bool) {
	at := strings.LastIndexByte(tag, '#')
	if at <= 0 {
		return tag, false
	}
	digits := tag[at+1:]
	if digits == "" || len(digits) > maxTagDigits || strings.Trim(digits, "0123456789") != "" {
		return tag, false
	}
	return tag[:at], true
}
