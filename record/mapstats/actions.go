package mapstats

import (
	"bytes"
	"encoding/binary"
	"iter"
	"strings"

	"w3host/protocol/w3gs"
)

// Report is one action 0x6B, by which a map stores a value in its synchronised game cache. Layout:
// file cstr · mission cstr · key cstr · value u32.
type Report struct {
	File, Mission, Key string
	Value              uint32
}

const (
	opSyncInteger = 0x6B
	maxText       = 255 // bytes of one string; the game's own limit is lower
)

// hidden is the mission that stands for a report of W3MMD that cannot be read, though clients may.
const hidden = "hidden"

// reports walks a player's action data and yields its 0x6B. It ends at the
// first action whose length is not known: the rest cannot be trusted. If that may hold a
// report of W3MMD, the last one that is yielded says so.
func reports(rules w3gs.ActionRules, data []byte) iter.Seq[Report] {
	return func(yield func(Report) bool) {
		for action := range rules.Actions(data) {
			if action.Known && action.ID != opSyncInteger {
				continue
			}
			r, ok := Report{}, false
			if action.Known {
				r, ok = readReport(action.Data[1:])
			}
			if !ok && mentionsMMD(action.Data) {
				yield(Report{File: mmdFile, Mission: hidden})
			}
			if !ok || !yield(r) {
				return
			}
		}
	}
}

// mentionsMMD looks for the name of W3MMD's game cache, as clients compare it.
func mentionsMMD(data []byte) bool {
	for len(data) >= len(mmdFile) {
		if strings.EqualFold(string(data[:len(mmdFile)]), mmdFile) {
			return true
		}
		data = data[1:]
	}
	return false
}

func readReport(data []byte) (r Report, ok bool) {
	for _, s := range []*string{&r.File, &r.Mission, &r.Key} {
		text, rest, _ := bytes.Cut(data, []byte{0})
		if len(text) > maxText {
			return Report{}, false
		}
		*s, data = string(text), rest
	}
	r.Value = binary.LittleEndian.Uint32(data)
	for _, file := range []string{mmdFile, dotaFile} {
		if strings.EqualFold(r.File, file) { // game caches do not tell small letters from capitals
			r.File = file
		}
	}
	return r, true
}
