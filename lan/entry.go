package lan

import (
	"errors"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"w3host/protocol/w3gs"
)

// errEntries is the error for a record that is not the description of a game.
var errEntries = errors.New("not the description of a game")

// maxEntries is larger than the number of entries that any host sends.
const maxEntries = 64

// description is the record of a game for clients of 1.30 to 2.0, as protobuf:
//
// { string name = 1; int32 message_id = 2; repeated { string key = 1; string value = 2; } entries = 3; }
type description struct {
	name      string
	messageID int32 // increases with each change
	entries   []pair
}

type pair struct{ key, value string }

// appendTo appends the protobuf encoding. Unlike protobuf libraries, the game also writes a message id of 0.
func (d *description) appendTo(b []byte) []byte {
	b = protowire.AppendVarint(protowire.AppendTag(appendText(b, 1, d.name), 2, protowire.VarintType), uint64(d.messageID))
	for _, e := range d.entries {
		b = protowire.AppendBytes(protowire.AppendTag(b, 3, protowire.BytesType), appendText(appendText(nil, 1, e.key), 2, e.value))
	}
	return b
}

func appendText(b []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), text)
}

// decode parses the protobuf and ignores unknown fields.
func (d *description) decode(b []byte) error {
	*d = description{}
	for f, ok := range w3gs.ProtoFields(b) {
		switch {
		case !ok:
			return errEntries
		case f.Number == 1 && f.Kind == protowire.BytesType:
			d.name = string(f.Value)
		case f.Number == 2 && f.Kind == protowire.VarintType:
			number, _ := protowire.ConsumeVarint(f.Value)
			d.messageID = int32(number)
		case f.Number == 3 && f.Kind == protowire.BytesType:
			var e pair
			if len(d.entries) >= maxEntries || !e.decode(f.Value) {
				return errEntries
			}
			d.entries = append(d.entries, e)
		}
	}
	return nil
}

func (e *pair) decode(b []byte) bool {
	for f, ok := range w3gs.ProtoFields(b) {
		switch {
		case !ok:
			return false
		case f.Kind != protowire.BytesType:
		case f.Number == 1:
			e.key = string(f.Value)
		case f.Number == 2:
			e.value = string(f.Value)
		}
	}
	return true
}

// value returns the last value of a key, or "".
func (d *description) value(key string) (text string) {
	for _, e := range d.entries {
		if e.key == key {
			text = e.value
		}
	}
	return text
}

// number returns a value as a decimal number, or 0.
func (d *description) number(key string) uint32 {
	n, _ := strconv.ParseUint(d.value(key), 10, 32)
	return uint32(n)
}
