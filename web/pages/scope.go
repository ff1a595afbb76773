package pages

import (
	"fmt"
	"html"
	"html/template"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"w3host/formats/w3map"
	"w3host/texts"
	"w3host/web/view"
)

// functions are the functions that templates can call.
var functions = template.FuncMap{
	"plain":     func(s string) string { return view.Visible(w3map.Plain(s)) },
	"shown":     view.Visible,
	"path":      url.PathEscape,
	"player":    view.Profile,
	"quoted":    view.Quoted,
	"file":      w3map.Shown,
	"base":      path.Base,
	"megabytes": view.FileSize,
	"clock":     texts.Clock,
	"span":      func(ms int64) string { return texts.Clock(time.Duration(ms) * time.Millisecond) },
	"day":       func(t time.Time) string { return t.Format("2006-01-02 15:04") },
	"stamp":     func(t time.Time) string { return t.Format(time.RFC3339) },
	"add":       func(a, b int) int { return a + b },
	"current":   current,
}

// current returns the attribute that marks a link to the current page.
func current(shown, link string) template.HTMLAttr {
	if shown != link {
		return ""
	}
	return ` aria-current="page"`
}

// L translates a label or sentence into the language of the page. It returns english if
// there is no translation.
func (f *frame) L(english string) string { return view.Visible(texts.Known(english).In(f.Language)) }

// Page returns the scope of the whole page.
func (f *frame) Page() Scope { return Scope{frame: f} }

// Scope is a part of a page with live updates: the whole page, or a row of a list. The same template renders the initial
// rows and one blank row, which the browser copies for rows added later.
type Scope struct {
	*frame
	at string // prefix of the keys, such as "lobbies/7/"
	ID string // id of the row
}

// T returns the text of a value.
func (s Scope) T(key string) string { return s.Values.Value(s.at + key).Text }

// Rows returns the rows of a list.
func (s Scope) Rows(list string) (rows []Scope) {
	for _, id := range s.Values.Value(s.at + list).Rows {
		rows = append(rows, Scope{frame: s.frame, at: s.at + list + "/" + id + "/", ID: id})
	}
	return rows
}

// Blank returns a row without values, which the browser uses as a template.
func (s Scope) Blank() Scope { return Scope{frame: s.frame, at: "-/"} }

func (s Scope) tail(key string) view.Tail {
	if t := s.Values.Value(s.at + key).Tail; t != nil {
		return *t
	}
	return view.Tail{}
}

// Items returns the items of a tail.
func (s Scope) Items(key string) [][]string { return s.tail(key).Items }

// End returns the index that the next item of a tail will have.
func (s Scope) End(key string) int { return s.tail(key).End }

// Points returns the items of a tail in the format of the chart script.
func (s Scope) Points(key string) string {
	var points []string
	for _, item := range s.Items(key) {
		points = append(points, strings.Join(item, " "))
	}
	return strings.Join(points, ";")
}

// P returns the attributes that bind an element to values. With "text:name href:link", the browser keeps the element's
// text equal to the value name, and its href to the value link. P also sets the initial attributes, but not the text.
func (s Scope) P(places string) template.HTMLAttr {
	var b strings.Builder
	fmt.Fprintf(&b, ` data-p="%s"`, html.EscapeString(places))
	for place := range strings.FieldsSeq(places) {
		kind, key, _ := strings.Cut(place, ":")
		value := html.EscapeString(s.T(key))
		switch kind {
		case "href", "src", "action":
			if value != "" {
				fmt.Fprintf(&b, ` %s="%s%s"`, kind, html.EscapeString(s.Base), value)
			}
		case "state", "since":
			fmt.Fprintf(&b, ` data-%s="%s"`, kind, value)
		case "value", "max":
			fmt.Fprintf(&b, ` %s="%s"`, kind, value)
		case "show":
			if value == "" {
				b.WriteString(" hidden")
			}
		}
	}
	return template.HTMLAttr(b.String())
}

// Elapsed returns the time elapsed since the time stored in a value.
func (s Scope) Elapsed(key string) string {
	ms, err := strconv.ParseInt(s.T(key), 10, 64)
	if err != nil {
		return ""
	}
	return texts.Clock(s.Now.Sub(time.UnixMilli(ms)))
}

// Hour formats a time in milliseconds since 1970 as hours, minutes and seconds.
func (s Scope) Hour(ms string) string {
	n, err := strconv.ParseInt(ms, 10, 64)
	if err != nil {
		return ""
	}
	return time.UnixMilli(n).Format(time.TimeOnly)
}
