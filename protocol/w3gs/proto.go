package w3gs

import (
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
)

// ProtoField is one field of an encoded protobuf message.
type ProtoField struct {
	Number protowire.Number
	Kind   protowire.Type
	Value  []byte // the encoded value; for protowire.BytesType, without its length prefix
}

// ProtoFields iterates over the fields of a message; values alias b. Malformed bytes yield one zero field
// with false and end the iteration.
func ProtoFields(b []byte) iter.Seq2[ProtoField, bool] {
	return func(yield func(ProtoField, bool) bool) {
		for len(b) > 0 {
			number, kind, n := protowire.ConsumeField(b)
			if n < 0 {
				yield(ProtoField{}, false)
				return
			}
			_, _, at := protowire.ConsumeTag(b)
			f := ProtoField{number, kind, b[at:n]}
			if kind == protowire.BytesType {
				f.Value, _ = protowire.ConsumeBytes(f.Value)
			}
			if b = b[n:]; !yield(f, true) {
				return
			}
		}
	}
}
