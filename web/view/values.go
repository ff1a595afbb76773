package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Values are the values of a page, by the keys of its places. A key is a path: the names of
// lists and the ids of their rows, then the name of a place, "lobbies/7/slots/2/who".
type Values struct {
	keys []string // in the order of the page: lists before the values of their rows
	at   map[string]Value
}

// Value is the value of one place: a text, the rows of a list in their order, or the tail of
// a list that only grows.
type Value struct {
	Text string
	Rows []string
	Tail *Tail
}

// Tail has the last items of a list that only grows, such as chat.
type Tail struct {
	End   int // the number of the item behind the last
	Items [][]string
}

// Value is that of a place; empty for one that there is not.
func (v Values) Value(key string) Value { return v.at[key] }

// Keys lists the places.
func (v Values) Keys() []string { return v.keys }

func (v *Values) set(key string, value Value) {
	if v.at == nil {
		v.at = make(map[string]Value)
	}
	v.keys, v.at[key] = append(v.keys, key), value
}

func (v *Values) text(key, text string)    { v.set(key, Value{Text: Visible(text)}) }
func (v *Values) raw(key, text string)     { v.set(key, Value{Text: text}) } // a command, which must not be altered
func (v *Values) number(key string, n int) { v.set(key, Value{Text: strconv.Itoa(n)}) }
func (v *Values) tail(key string, t *Tail) { v.set(key, Value{Tail: t}) }

// list writes the rows of a list by their ids, then the values of each, whose keys begin with at.
func list[T any](to *Values, key string, items []T, id func(T) int, build func(at string, item T)) {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = strconv.Itoa(id(item))
	}
	to.set(key, Value{Rows: ids})
	for i, item := range items {
		build(key+"/"+ids[i]+"/", item)
	}
}

// Op changes one place: its key behind a sign, then the text ("="), the ids of the rows
// ("*"), or the number of the first item and the items of a tail that grows ("+").
type Op []any

// diff returns the changes that turn a page with the old values into one with the new.
func diff(old, new Values) (ops []Op) {
	for _, key := range new.keys {
		was, there := old.at[key]
		switch is := new.at[key]; {
		case is.Tail != nil:
			from := is.Tail.End - len(is.Tail.Items)
			if there && was.Tail != nil {
				from = max(from, was.Tail.End)
			}
			if n := is.Tail.End - from; n > 0 {
				ops = append(ops, Op{"+" + key, from, is.Tail.Items[len(is.Tail.Items)-n:]})
			}
		case is.Rows != nil:
			if !there || !slices.Equal(was.Rows, is.Rows) {
				ops = append(ops, Op{"*" + key, is.Rows})
			}
		case !there || was.Text != is.Text:
			ops = append(ops, Op{"=" + key, is.Text})
		}
	}
	return ops
}

// Encode returns the JSON of a patch.
func Encode(ops []Op) []byte {
	text, err := json.Marshal(ops)
	if err != nil {
		panic(err) // strings and numbers always can
	}
	return text
}

// Visible is a text of a stranger whose characters have no effect that the reader does not see:
// control characters and those that turn the direction of writing are shown by their
// number.
func Visible(text string) string {
	if !strings.ContainsFunc(text, unseen) {
		return strings.ToValidUTF8(text, "�")
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "�") {
		if unseen(r) {
			fmt.Fprintf(&b, "[U+%04X]", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unseen(r rune) bool {
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}
