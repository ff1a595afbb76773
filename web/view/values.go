package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Values holds the values that a page shows, by key. A key is a path of list names and row ids that ends with the name of
// a value, such as "lobbies/7/slots/2/who".
type Values struct {
	keys []string // in the order of the page: lists before the values of their rows
	at   map[string]Value
}

// Value is one value of a page: a text, the row ids of a list in display order, or the tail of an append-only list.
type Value struct {
	Text string
	Rows []string
	Tail *Tail
}

// Tail holds the last items of an append-only list, such as chat.
type Tail struct {
	End   int // total number of items ever appended, which is the index of the next item
	Items [][]string
}

// Value returns the value of a key, or an empty Value if there is none.
func (v Values) Value(key string) Value { return v.at[key] }

// Keys returns all keys in page order.
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

// list writes the row ids of a list and then calls build for each row. The keys that build writes must begin with at.
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

// Op is a change of one value. Its first element is a sign followed by the key. The sign "=" is followed by the new text,
// "*" by the new row ids, and "+" by the index of the first new item of a tail and the new items.
type Op []any

// diff returns the changes that turn the old values into the new ones.
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

// Encode returns a patch as JSON.
func Encode(ops []Op) []byte {
	text, err := json.Marshal(ops)
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	return text
}

// Visible returns a text of untrusted origin in a form that cannot mislead the reader. It replaces control and format
// characters, such as those that change the writing direction, by their code point: [U+202E].
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
