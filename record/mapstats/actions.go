package mapstats

import (
	"bytes"
	"encoding/binary"
	"iter"
	"strings"

	"w3host/protocol/w3gs"
)

// Report is an action 0x6B, with which a map stores a value in its synchronised game cache: file cstr ·
// mission cstr · key cstr · value u32.
type Report struct {
	File, Mission, Key string
	Value              uint32
}

const (
	opSyncInteger = 0x6B
	maxText       = 255 // limit for one string in bytes; the game's own limit is lower
)

// hidden is the mission of a Report that stands for an unreadable W3MMD report, which clients may be able to
// read.
const hidden = "hidden"

// reports iterates over the 0x6B actions in a player's action data. It stops at the first action of unknown
// length, since the rest cannot be trusted. If the rest may contain a W3MMD report, it yields a Report with
// the mission hidden first.
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

// mentionsMMD reports whether data contains the name of W3MMD's game cache, ignoring case like clients do.
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
		if strings.EqualFold(r.File, file) { // names of game caches are case-insensitive
			r.File = file
		}
	}
	return r, true
}
