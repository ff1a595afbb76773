package w3gs

import (
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
)

// ProtoField is a field of a protobuf message.
type ProtoField struct {
	Number protowire.Number
	Kind   protowire.Type
	Value  []byte // as it stands in the message; of protowire.BytesType, the bytes behind the length
}

// ProtoFields walks a message. Bytes that are no field are false, and end the walk.
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
