package spool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
)

const (
	// MaxLine is the maximum size of a record in bytes, far above that of a desync dossier of a long game.
	MaxLine = 16 << 20
	// Edited replaces the checksum in a line that a person has fixed.
	Edited = "edited"
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	marker     = []byte(`{"crc":"`) // start of a line; cannot occur inside JSON text, where quotes are escaped
)

// Line is one record.
type Line struct {
	Run    string // UUID of the run that wrote it; sorts by time
	Seq    uint64 // counted from 1 in each run, without gaps
	Type   string
	Record json.RawMessage

	Mended bool `json:"-"` // the line was fixed by a person: its checksum is "edited"
}

// Append appends the encoded line to dst.
func (l Line) Append(dst []byte) []byte {
	dst = append(append(dst, marker...), `00000000",`...)
	at := len(dst)
	dst = append(append(append(dst, `"run":"`...), l.Run...), `","seq":`...)
	dst = append(append(strconv.AppendUint(dst, l.Seq, 10), `,"type":"`...), l.Type...)
	dst = append(append(append(dst, `","record":`...), l.Record...), '}')
	copy(dst[at-10:], fmt.Appendf(nil, "%08x", crc32.Checksum(dst[at:], castagnoli)))
	return append(dst, '\n')
}

// first decodes the record at the start of text and returns the rest. The checksum shows where the record
// ends, so a missing line break does no harm.
func first(text []byte) (l Line, rest []byte, ok bool) {
	body, found := bytes.CutPrefix(text, marker)
	sum, body, cut := bytes.Cut(body, []byte(`",`))
	switch {
	case !found || !cut:
		return l, nil, false
	case string(sum) == Edited:
		end := bytes.LastIndexByte(body, '}') + 1
		err := json.Unmarshal(append([]byte{'{'}, body[:end]...), &l)
		l.Mended = true
		return l, body[end:], err == nil && l.Run != "" && l.Seq > 0 && l.Type != "" && l.Record != nil
	}
	want, err := strconv.ParseUint(string(sum), 16, 32)
	if err != nil || len(sum) != 8 {
		return l, nil, false
	}
	var crc uint32
	for end := 0; ; {
		n := bytes.IndexByte(body[end:], '}') + 1
		if n == 0 {
			return l, nil, false
		}
		crc = crc32.Update(crc, castagnoli, body[end:end+n])
		if end += n; crc == uint32(want) {
			l, ok = fields(body[:end-1])
			return l, body[end:], ok
		}
	}
}

// fields splits the body of a line with a correct checksum.
func fields(body []byte) (l Line, ok bool) {
	body, ok = bytes.CutPrefix(body, []byte(`"run":"`))
	run, body, ok1 := bytes.Cut(body, []byte(`","seq":`))
	seq, body, ok2 := bytes.Cut(body, []byte(`,"type":"`))
	kind, record, ok3 := bytes.Cut(body, []byte(`","record":`))
	n, err := strconv.ParseUint(string(seq), 10, 64)
	return Line{Run: string(run), Seq: n, Type: string(kind), Record: record}, ok && ok1 && ok2 && ok3 && err == nil
}

// Contents holds the records of a file and its defects.
type Contents struct {
	Lines   []Line // sorted by run and number, without duplicates
	Damaged int    // number of byte ranges that are not intact records
	Missing int    // numbers missing between the first and last record
	Where   []int  // text lines of the damage, counted from 1
	Torn    int    // incomplete bytes at the end, written when the host died
}

// Parse returns every intact record in data, wherever it is.
func Parse(data []byte) (c Contents) {
	for number := 1; len(data) > 0; number++ {
		text, rest, ended := bytes.Cut(data, []byte{'\n'})
		data = rest
		if l, behind, ok := first(text); ok && len(bytes.TrimSpace(behind)) == 0 {
			c.Lines = append(c.Lines, l)
			continue
		}
		for len(text) > 0 { // damaged: continue at the next possible start of a record
			next := bytes.Index(text[1:], marker) + 1
			if next == 0 {
				next = len(text)
			}
			l, behind, ok := first(text[:next])
			if ok {
				c.Lines = append(c.Lines, l)
			} else {
				behind = text[:next]
			}
			text = text[next:]
			switch junk := bytes.TrimSpace(behind); {
			case len(junk) == 0:
			case !ended && len(text) == 0:
				c.Torn = len(behind)
			default:
				c.Damaged++
				c.Where = append(c.Where, number)
			}
		}
	}
	c.sort()
	return c
}

// sort sorts the lines by run and number, because a damaged disk may swap or duplicate blocks.
func (c *Contents) sort() {
	if len(c.Lines) == 0 {
		return
	}
	slices.SortStableFunc(c.Lines, func(a, b Line) int {
		return cmp.Or(strings.Compare(a.Run, b.Run), cmp.Compare(a.Seq, b.Seq))
	})
	c.Lines = slices.CompactFunc(c.Lines, func(a, b Line) bool { return a.Run == b.Run && a.Seq == b.Seq })
	for i, l := range c.Lines[1:] {
		if last := c.Lines[i]; last.Run == l.Run {
			c.Missing += int(l.Seq - last.Seq - 1)
		}
	}
}
