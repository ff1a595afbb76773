package game

import (
	"errors"
	"io"
	"testing"
	"time"
)

// Actions and acknowledgements, which are nearly all of a journal, are read without an
// allocation, with their notes between them.
func TestReaderAllocatesNothing(t *testing.T) {
	var j Journal
	b, err := j.Begin(nil, &Config{})
	if err != nil {
		t.Fatal(err)
	}
	const entries = 300
	for i := range entries / 3 {
		now := time.Duration(i) * time.Millisecond
		b = j.Append(b, now, &Input{Kind: Action, Link: 3, Bytes: 30, Data: []byte("0123456789")})
		b = AppendNote(b, 2, []byte{3, 5})
		b = j.Append(b, now, &Input{Kind: Keepalive, Link: 3, Bytes: 9, Sum: uint32(i)})
	}
	r, _, err := NewReader(b)
	if err != nil {
		t.Fatal(err)
	}
	begin, read := *r, 0
	var e JournalItem
	allocs := testing.AllocsPerRun(3, func() {
		*r, read = begin, 0
		for err = r.Next(&e); err == nil; err = r.Next(&e) {
			read++
		}
	})
	if !errors.Is(err, io.EOF) || read != entries || allocs > 0 {
		t.Errorf("%d entries, %v allocations, %v", read, allocs, err)
	}
	if want := (entries/3 - 1) * int(time.Millisecond); int(e.At) != want || e.Input.Bytes != 9 || e.Input.Sum != entries/3-1 {
		t.Errorf("the last entry: %+v", e)
	}
}

// TestReaderRefusesDamage: an acknowledgement is read the short way only if it is whole, and nothing is read behind damage.
func TestReaderRefusesDamage(t *testing.T) {
	var j Journal
	b, err := j.Begin(nil, &Config{})
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, 5, byte(Keepalive), 3, 1, 5, 2) // field 2, the changed sum, has no number
	for range 4 {
		b = j.Append(b, 0, &Input{Kind: Keepalive, Link: 5, Bytes: answerLen})
	}
	r, _, err := NewReader(b)
	if err != nil {
		t.Fatal(err)
	}
	var e JournalItem
	for range 2 {
		if err := r.Next(&e); err == nil {
			t.Errorf("read as %+v", e.Input)
		}
	}
}
