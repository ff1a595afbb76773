package web

import (
	"net/http"
	"strings"

	"w3host/texts"
)

// Theme returns the colour theme that a visitor has chosen, "dark" or "light", or "" to follow the
// browser's preference.
func Theme(r *http.Request) string {
	if c, err := r.Cookie("theme"); err == nil && (c.Value == "dark" || c.Value == "light") {
		return c.Value
	}
	return ""
}

// Language returns the language that a visitor has chosen, or the browser's preferred one.
func Language(r *http.Request) texts.Language {
	if c, err := r.Cookie("lang"); err == nil {
		if l, err := texts.ParseLanguage(c.Value); err == nil {
			return l
		}
	}
	first, _, _ := strings.Cut(r.Header.Get("Accept-Language"), ",")
	l, _ := texts.ParseLanguage(first)
	return l
}
