package replay

import "encoding/binary"

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
		key, n := binary.Uvarint(b)
		if n <= 0 {
			return
		}
		value, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return
		}
		b = b[n+m:]
		switch key & 7 {
		case 0:
			if key>>3 == 1 {
				pid = value
			}
		case 2:
			if value > uint64(len(b)) {
				return
			}
			if key>>3 == 2 {
				name = string(b[:value])
			}
			b = b[value:]
		default:
			return
		}
	}
	return
}
