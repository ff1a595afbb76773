package web

import (
	"net/http"
	"strings"

	"w3host/texts"
)

// Theme is the one that a visitor has chosen: "dark" or "light"; empty: as the browser wants.
func Theme(r *http.Request) string {
	if c, err := r.Cookie("theme"); err == nil && (c.Value == "dark" || c.Value == "light") {
		return c.Value
	}
	return ""
}

// Language is that of a visitor: as chosen, or else as the browser wants.
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
