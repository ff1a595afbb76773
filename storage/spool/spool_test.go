package spool_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"w3host/internal/disk"
	"w3host/storage/spool"
)

const run = "01934c3e-5b00-7aaa-8bbb-0000000000a1"

func line(seq uint64) spool.Line {
	return spool.Line{Run: run, Seq: seq, Type: "ChatLine", Record: json.RawMessage(fmt.Sprintf(`{"Text":"record {%d} \"x\""}`, seq))}
}

func lines(first, last uint64) (text []byte) {
	for seq := first; seq <= last; seq++ {
		text = line(seq).Append(text)
	}
	return text
}

func open(t *testing.T, dir string) (*spool.Spool, spool.Left) {
	t.Helper()
	s, left, err := spool.Open(disk.System, dir)
	if err != nil {
		t.Fatal(err)
	}
	return s, left
}

func add(t *testing.T, s *spool.Spool, text []byte) *spool.File {
	t.Helper()
	f, err := s.Create()
	if err == nil {
		err = errors.Join(f.Append(text), f.Sync())
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// numbers checks that every line is what was written, and gives the numbers.
func numbers(t *testing.T, c spool.Contents) (seqs []uint64) {
	t.Helper()
	for _, l := range c.Lines {
		if want := line(l.Seq); l.Run != run || l.Type != want.Type || !bytes.Equal(l.Record, want.Record) {
			t.Fatalf("record %d is %+v %s", l.Seq, l, l.Record)
		}
		seqs = append(seqs, l.Seq)
	}
	return seqs
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestReplayAfterRestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "on the way")
	s, left := open(t, dir)
	if len(left.Files) != 0 {
		t.Fatalf("a new spool holds %v", left.Files)
	}
	later := add(t, s, lines(4, 6)) // written again after a failed sync, say
	add(t, s, lines(1, 3))
	if err := errors.Join(later.Append(lines(7, 9)), s.Close()); err != nil {
		t.Fatal(err)
	}
	s, left = open(t, dir)
	if len(left.Files) != 2 || left.Files[0].Run != run || left.Faults != nil {
		t.Fatalf("left %+v", left)
	}
	for i, want := range [][]uint64{{1, 2, 3}, {4, 5, 6, 7, 8, 9}} {
		f := left.Files[i]
		c, err := f.Read()
		if got := numbers(t, c); err != nil || !slices.Equal(got, want) || f.Records != len(want) || f.First != want[0] {
			t.Errorf("file %d: %v, %v, %+v", i, got, err, f)
		}
		if err := f.Remove(); err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil || len(files(t, dir)) != 0 {
		t.Errorf("an empty spool keeps %v, %v", files(t, dir), err)
	}
}

// A line half written at the end is cut, at whichever byte it broke off.
func TestTornTail(t *testing.T) {
	whole := lines(1, 2)
	one := len(lines(1, 1))
	for n := range len(whole) {
		c := spool.Parse(whole[:n])
		want := []uint64{1, 2}[:(n+1)/one] // the line break itself may be missing
		if got := numbers(t, c); !slices.Equal(got, want) || c.Damaged != 0 || c.Missing != 0 {
			t.Fatalf("%d of %d bytes: %v, want %v; %+v", n, len(whole), got, want, c)
		}
		if torn := n - len(want)*one; c.Torn != max(0, torn) {
			t.Fatalf("%d bytes: %d torn, want %d", n, c.Torn, torn)
		}
	}
}

// A damaged file is read as far as it can be, and kept.
func TestQuarantine(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	text := lines(1, 5)
	text[len(lines(1, 1))+30] ^= 1
	f := add(t, s, text)
	gap := add(t, s, append(lines(6, 7), lines(10, 10)...))
	junk := add(t, s, []byte("not ours\n"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, left := open(t, dir)
	defer s.Close()
	if len(left.Files) != 3 || left.Files[0].Records != 0 || left.Files[1].Damaged != 1 || left.Files[1].Records != 4 || left.Files[2].Missing != 2 {
		t.Fatalf("left %+v", left.Files)
	}
	if len(left.Faults) != 1 || !strings.Contains(left.Faults[0], "nothing in it is whole") {
		t.Errorf("faults %q", left.Faults)
	}
	if err := errors.Join(left.Files[0].Remove(), left.Files[1].Remove(), left.Files[2].Remove()); err != nil {
		t.Error(err)
	}
	var aside []string
	for _, name := range []string{f.Path, gap.Path, junk.Path} {
		aside = append(aside, filepath.Join(dir, spool.Quarantine, filepath.Base(name)))
	}
	if got := files(t, filepath.Join(dir, spool.Quarantine)); !slices.Equal(got, aside) {
		t.Errorf("in quarantine %v, want %v", got, aside)
	}
	if next := add(t, s, lines(1, 1)); filepath.Base(next.Path) != "0000000004.jsonl" {
		t.Errorf("%s takes the name of another file", next.Path)
	}
	if left, aside, err := spool.Inspect(dir); err != nil || len(left) != 1 || len(aside) != 3 || aside[0].Records != 4 {
		t.Errorf("looked at: %v %v %v", left, aside, err)
	}
}

// A person mends a line with a text editor.
func TestEditedLine(t *testing.T) {
	text := string(lines(1, 3))
	broken := strings.Replace(text, "{2}", "{two}", 1)
	if c := spool.Parse([]byte(broken)); len(c.Lines) != 2 || c.Damaged != 1 {
		t.Fatalf("changed without a word: %+v", c)
	}
	sum := strings.Split(strings.Split(broken, "\n")[1], `"`)[3]
	edited := strings.Replace(strings.ReplaceAll(broken, sum, spool.Edited), "\n", "\r\n\r\n", -1)
	c := spool.Parse([]byte(edited))
	if len(c.Lines) != 3 || c.Damaged != 0 || !strings.Contains(string(c.Lines[1].Record), "two") || c.Lines[1].Seq != 2 {
		t.Errorf("mended: %+v", c)
	}
}

func TestOneOwner(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	if _, _, err := spool.Open(disk.System, dir); err == nil || !strings.Contains(err.Error(), "give each host its own data directory") {
		t.Errorf("second owner: %v", err)
	}
	_ = s.Close()
	s, _ = open(t, dir)
	_ = s.Close()
}

func FuzzParse(f *testing.F) {
	f.Add(lines(1, 3))
	f.Add(lines(1, 1)[:40])
	f.Add([]byte(`{"crc":"edited","run":"r","seq":1,"type":"t","record":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := spool.Parse(b)
		var again []byte
		for _, l := range c.Lines {
			again = l.Append(again)
		}
		if c2 := spool.Parse(again); len(c2.Lines) != len(c.Lines) && !bytes.Contains(b, []byte(spool.Edited)) {
			t.Fatalf("%d lines, written again %d", len(c.Lines), len(c2.Lines))
		}
	})
}
