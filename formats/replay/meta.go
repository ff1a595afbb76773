package replay

import "google.golang.org/protobuf/encoding/protowire"

const metaProfile = 3 // the kind of a Meta with a player's profile

// names are the full names of players from their profiles; the records of 1.32
// and later may hold shortened ones.
func (r *Reader) names() map[uint8]string {
	names := map[uint8]string{}
	for _, m := range r.Start.Metas {
		if m.Kind != metaProfile {
			continue
		}
		if pid, name := profile(m.Data); pid > 0 && pid < 256 && name != "" {
			names[uint8(pid)] = name
		}
	}
	return names
}

// profile reads the fields 1 (player, varint) and 2 (name, bytes) of a protobuf
// message and skips the others. It ends at the first byte that is not one.
func profile(b []byte) (pid uint64, name string) {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return
		}
		value := b[n:]
		size := protowire.ConsumeFieldValue(field, kind, value)
		if size < 0 {
			return
		}
		switch {
		case field == 1 && kind == protowire.VarintType:
			pid, _ = protowire.ConsumeVarint(value)
		case field == 2 && kind == protowire.BytesType:
			name, _ = protowire.ConsumeString(value)
		}
		b = value[size:]
	}
	return
}
