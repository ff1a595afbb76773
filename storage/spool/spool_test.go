package spool_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"w3host/storage/spool"
)

var run = spool.Run{1, 2, 3}

// frames makes sealed frames numbered from first; each holds its number.
func frames(first, last uint64) []byte {
	var data []byte
	for seq := first; seq <= last; seq++ {
		at := len(data)
		data = append(spool.Begin(data), fmt.Sprintf("record %d", seq)...)
		spool.Finish(data[at:], seq)
	}
	spool.Seal(data)
	return data
}

func open(t *testing.T, dir string, run spool.Run) (*spool.Spool, spool.Left) {
	t.Helper()
	s, left, err := spool.Open(dir, run)
	if err != nil {
		t.Fatal(err)
	}
	return s, left
}

func add(t *testing.T, s *spool.Spool, first, last uint64) spool.Range {
	t.Helper()
	r, err := s.Append(frames(first, last), first, last, int(last-first+1))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func numbers(t *testing.T, s *spool.Spool, ranges ...spool.Range) (seqs []uint64) {
	t.Helper()
	for _, r := range ranges {
		data, err := s.Read(r)
		if err != nil {
			t.Fatal(err)
		}
		err = spool.Each(data, func(seq uint64, payload []byte) error {
			if string(payload) != fmt.Sprintf("record %d", seq) {
				t.Errorf("frame %d holds %q", seq, payload)
			}
			seqs = append(seqs, seq)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return seqs
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.spool"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestReplayAfterRestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "on the way")
	s, left := open(t, dir, run)
	if len(left.Ranges) != 0 {
		t.Fatalf("a new spool holds %v", left.Ranges)
	}
	add(t, s, 1, 3)
	done := add(t, s, 4, 6)
	add(t, s, 7, 9)
	if err := errors.Join(s.Sync(), s.Release(done), s.Close()); err != nil {
		t.Fatal(err)
	}

	s, left = open(t, dir, spool.Run{9})
	if len(left.Ranges) != 1 || left.Ranges[0].Run() != run || left.Cut != 0 || left.Faults != nil {
		t.Fatalf("left %+v", left)
	}
	// What was released within a file comes again: positions are the reader's.
	if got := numbers(t, s, left.Ranges...); !slices.Equal(got, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Fatalf("replayed %v", got)
	}
	fresh := add(t, s, 1, 1)
	if fresh.Run() != (spool.Run{9}) {
		t.Error("a new life writes to the old file")
	}
	if err := s.Release(left.Ranges[0]); err != nil || len(files(t, dir)) != 1 {
		t.Errorf("after the replay: %v, %v", err, files(t, dir))
	}
	if err := errors.Join(s.Release(fresh), s.Close()); err != nil || len(files(t, dir)) != 0 {
		t.Errorf("an empty spool keeps %v, %v", files(t, dir), err)
	}
}

// A frame half written at the end is cut, at whichever byte it broke off.
func TestTornTail(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir, run)
	add(t, s, 1, 2)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	name := files(t, dir)[0]
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	frame := len(frames(1, 1))
	for n := range len(whole) {
		if err := os.WriteFile(name, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		s, left := open(t, dir, spool.Run{9})
		want := []uint64{1, 2}[:max(0, (n-32)/frame)]
		if got := numbers(t, s, left.Ranges...); !slices.Equal(got, want) {
			t.Fatalf("%d of %d bytes: %v, want %v", n, len(whole), got, want)
		}
		if left.Cut != int64(n-32-len(want)*frame) && n >= 32 {
			t.Fatalf("%d bytes: %d cut", n, left.Cut)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDamage(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir, run)
	r := add(t, s, 1, 3)
	name := files(t, dir)[0]
	whole, _ := os.ReadFile(name)
	frame := len(frames(1, 1))
	whole[32+frame+20] ^= 1
	if err := os.WriteFile(name, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := s.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := spool.Each(data, func(uint64, []byte) error { return nil }); !errors.Is(err, spool.ErrDamaged) {
		t.Errorf("a flipped bit: %v", err)
	}
	_ = s.Close()
	s, left := open(t, dir, run)
	if got := numbers(t, s, left.Ranges...); !slices.Equal(got, []uint64{1}) || left.Cut != int64(2*frame) {
		t.Errorf("after damage %v, %d cut", got, left.Cut)
	}
	_ = s.Close()

	if err := os.WriteFile(name, append([]byte("not ours, and long enough"), whole...), 0o600); err != nil {
		t.Fatal(err)
	}
	s, left = open(t, dir, run)
	defer s.Close()
	if len(left.Faults) != 1 || !strings.Contains(left.Faults[0], filepath.Base(name)) || !slices.Contains(files(t, dir), name) {
		t.Errorf("a foreign file: %v, %v", left.Faults, files(t, dir))
	}
}

func TestOneOwner(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir, run)
	if _, _, err := spool.Open(dir, run); err == nil || !strings.Contains(err.Error(), "give each its own data directory") {
		t.Errorf("second owner: %v", err)
	}
	_ = s.Close()
	s, _ = open(t, dir, run)
	_ = s.Close()
}

// Files are begun anew at 16 MiB, and go when all in them is released.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir, run)
	defer s.Close()
	big := append(spool.Begin(nil), bytes.Repeat([]byte("x"), 5<<20)...)
	var ranges []spool.Range
	for seq := uint64(1); seq <= 7; seq++ {
		spool.Finish(big, seq)
		spool.Seal(big)
		r, err := s.Append(big, seq, seq, 1)
		if err != nil {
			t.Fatal(err)
		}
		ranges = append(ranges, r)
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(files(t, dir)); n != 3 {
		t.Fatalf("%d files", n)
	}
	if s.Size() < 35<<20 {
		t.Errorf("size %d", s.Size())
	}
	for i, r := range ranges {
		if _, err := s.Read(r); err != nil {
			t.Fatal(err)
		}
		if err := s.Release(r); err != nil {
			t.Fatal(err)
		}
		if n, want := len(files(t, dir)), 3-(i+1)/3; n != want {
			t.Errorf("%d files after %d releases, want %d", n, i+1, want)
		}
	}
	if err := s.Trim(); err != nil || len(files(t, dir)) != 1 || s.Size() != 0 {
		t.Errorf("trimmed to %v, %v", files(t, dir), err)
	}
	add(t, s, 8, 9) // and goes on in the same file
	if len(files(t, dir)) != 1 || s.Size() == 0 {
		t.Errorf("after Trim %v", files(t, dir))
	}
}

// A frame larger than the reader's buffer survives a restart.
func TestLongFrame(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir, run)
	add(t, s, 1, 1)
	big := append(spool.Begin(nil), bytes.Repeat([]byte("y"), 2<<20)...)
	spool.Finish(big, 2)
	spool.Seal(big)
	if _, err := s.Append(big, 2, 2, 1); err != nil {
		t.Fatal(err)
	}
	add(t, s, 3, 3)
	_ = s.Close()
	s, left := open(t, dir, run)
	defer s.Close()
	var seqs []uint64
	for _, r := range left.Ranges {
		data, err := s.Read(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := spool.Each(data, func(seq uint64, _ []byte) error { seqs = append(seqs, seq); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(seqs, []uint64{1, 2, 3}) {
		t.Errorf("found %v", seqs)
	}
}

// After Abandon the frames go to another file, which a restart reads second.
func TestAbandon(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir, run)
	add(t, s, 1, 2)
	s.Abandon()
	add(t, s, 1, 3) // again: the disk may hold nothing of the first file
	_ = s.Close()
	s, left := open(t, dir, run)
	defer s.Close()
	if got := numbers(t, s, left.Ranges...); !slices.Equal(got, []uint64{1, 2, 1, 2, 3}) {
		t.Errorf("found %v", got)
	}
}

func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	s, _, err := spool.Open(dir, run)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := s.Append(frames(1, 3), 1, 3, 3); err != nil {
		f.Fatal(err)
	}
	_ = s.Close()
	name := filepath.Join(dir, "0000000001.spool")
	whole, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:40])
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "0000000001.spool"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		s, left, err := spool.Open(dir, run)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, r := range left.Ranges {
			data, err := s.Read(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := spool.Each(data, func(uint64, []byte) error { return nil }); err != nil {
				t.Fatalf("a range given as good is %v", err)
			}
		}
	})
}
