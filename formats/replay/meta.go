package replay

import (
	"google.golang.org/protobuf/encoding/protowire"

	"w3host/protocol/w3gs"
)

// metaProfile is the kind of a Meta that holds a player's profile.
const metaProfile = 3

// names returns the players' full names from their profiles. Player records of 1.32 and later may hold
// shortened names.
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

// profile returns the fields 1 (pid, varint) and 2 (name, bytes) of a protobuf message. It stops at malformed
// data.
func profile(b []byte) (pid uint64, name string) {
	for f, ok := range w3gs.ProtoFields(b) {
		switch {
		case !ok:
		case f.Number == 1 && f.Kind == protowire.VarintType:
			pid, _ = protowire.ConsumeVarint(f.Value)
		case f.Number == 2 && f.Kind == protowire.BytesType:
			name = string(f.Value)
		}
	}
	return pid, name
}
