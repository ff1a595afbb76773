package mapstats

import (
	"bytes"
	"encoding/binary"
	"iter"

	"w3host/protocol/w3gs"
)

// report is one action 0x6B: file cstr · mission cstr · key cstr · value u32.
type report struct {
	file, mission, key string
	value              uint32
}

const (
	opSyncInteger = 0x6B
	maxText       = 255 // bytes of one string; the game's own limit is lower
)

// reports walks a player's action data and yields its 0x6B. It ends at the
// first action whose length is not known: the rest cannot be trusted.
func reports(rules w3gs.ActionRules, data []byte) iter.Seq[report] {
	return func(yield func(report) bool) {
		for action := range rules.Actions(data) {
			if !action.Known || action.ID != opSyncInteger {
				continue
			}
			if r, ok := readReport(action.Data[1:]); !ok || !yield(r) {
				return
			}
		}
	}
}

func readReport(data []byte) (r report, ok bool) {
	for _, s := range []*string{&r.file, &r.mission, &r.key} {
		text, rest, _ := bytes.Cut(data, []byte{0})
		if len(text) > maxText {
			return report{}, false
		}
		*s, data = string(text), rest
	}
	r.value = binary.LittleEndian.Uint32(data)
	return r, true
}
