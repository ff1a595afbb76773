package replay

import (
	"bytes"
	"errors"
	"testing"
	"time"
)

// Cut at every byte, a replay becomes a good one up to its last whole block, or
// an error says that there is none.
func TestRepairOfEveryCut(t *testing.T) {
	f := &memFile{}
	playGame(t, f, 600)
	kept := time.Duration(0)
	for n := range f.data {
		var fixed memFile
		rep, err := Repair(bytes.NewReader(f.data[:n]), &fixed)
		if err != nil {
			if kept > 0 || !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrNotReplay) {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if len(rep.Faults) == 0 || rep.Kept < kept {
			t.Fatalf("cut at %d: %+v", n, rep)
		}
		kept = rep.Kept
		r := open(t, fixed.data)
		for _, finding := range Verify(r) {
			if finding.Fault {
				t.Fatalf("cut at %d: %s", n, finding.Text)
			}
		}
		if r.Duration != kept || r.time != kept {
			t.Fatalf("cut at %d: %v and %v, not %v", n, r.Duration, r.time, kept)
		}
	}
	if kept < 10*time.Second {
		t.Errorf("the longest has %v", kept)
	}
}

func TestRepairOfWholeFile(t *testing.T) {
	f := &memFile{}
	playGame(t, f, 100)
	rep, err := Repair(bytes.NewReader(f.data), &memFile{})
	if err != nil || len(rep.Faults) > 0 {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestRepairOfCutRealReplays(t *testing.T) {
	for _, ref := range realReplays(t) {
		data := readReal(t, ref.File)
		whole := inflated(t, data)
		for _, n := range []int{len(data) / 3, len(data) / 2, len(data) - 1} {
			var fixed memFile
			rep, err := Repair(bytes.NewReader(data[:n]), &fixed)
			if err != nil {
				t.Fatalf("%s at %d: %v", ref.File, n, err)
			}
			if got := inflated(t, fixed.data); !bytes.HasPrefix(whole, got) || len(rep.Faults) == 0 {
				t.Errorf("%s at %d: not its beginning, %v", ref.File, n, rep)
			}
			for _, finding := range Verify(open(t, fixed.data)) {
				if finding.Fault {
					t.Errorf("%s at %d: %s", ref.File, n, finding.Text)
				}
			}
		}
	}
}

func TestAnonymise(t *testing.T) {
	f := &memFile{}
	playGame(t, f, 100)
	for _, keep := range []bool{false, true} {
		var out memFile
		if err := Anonymise(open(t, f.data), &out, keep); err != nil {
			t.Fatal(err)
		}
		if findings := Verify(open(t, out.data)); len(findings) > 0 {
			t.Error(findings)
		}
		was, now := Summarise(open(t, f.data)), Summarise(open(t, out.data))
		if was.Actions != now.Actions || was.Duration != now.Duration || was.Winner != now.Winner || (len(now.Chat) > 0) != keep {
			t.Errorf("%+v", now)
		}
		stream := inflated(t, out.data)
		for _, p := range was.Players {
			if bytes.Contains(stream, []byte(p.Name)) {
				t.Errorf("%s is still there", p.Name)
			}
		}
	}
}

// TestAnonymiseUnfinished: the duration of a replay whose header has none is that of its turns.
func TestAnonymiseUnfinished(t *testing.T) {
	var f, out memFile
	playGame(t, &f, 100)
	h := open(t, f.data).Header
	h.FileSize, h.StreamSize, h.Blocks, h.Duration = 0, 0, 0, 0
	copy(f.data, h.AppendTo(nil))
	if err := Anonymise(open(t, f.data), &out, true); err != nil {
		t.Fatal(err)
	}
	if r := open(t, out.data); r.Duration != 10*time.Second || len(Verify(r)) > 0 {
		t.Errorf("%v, %v", r.Duration, r.Findings)
	}
}

func TestAnonymiseRealReplays(t *testing.T) {
	for _, ref := range realReplays(t) {
		data := readReal(t, ref.File)
		var out memFile
		if err := Anonymise(open(t, data), &out, true); err != nil {
			t.Fatal(err)
		}
		was, now := Summarise(open(t, data)), Summarise(open(t, out.data))
		if was.Actions != now.Actions || was.Duration != now.Duration || len(was.Chat) != len(now.Chat) || len(now.Findings) > 0 {
			t.Errorf("%s: %v", ref.File, now.Findings)
		}
		stream := inflated(t, out.data)
		for _, p := range was.Players {
			if len(p.Name) > 2 && bytes.Contains(stream, []byte(p.Name)) {
				t.Errorf("%s: %s is still there", ref.File, p.Name)
			}
		}
	}
}
