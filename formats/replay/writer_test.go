package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

func TestWrittenGameIsReadBack(t *testing.T) {
	const turns = 3000
	f := &memFile{}
	playGame(t, f, turns)
	if findings := Verify(open(t, f.data)); len(findings) > 0 {
		t.Errorf("findings %v", findings)
	}
	s := Summarise(open(t, f.data))
	if s.Duration != turns*100*time.Millisecond || s.Played != s.Duration || s.Turns != turns+turns/50 || s.Checksums != turns {
		t.Errorf("%v, %v, %d turns, %d checksums", s.Duration, s.Played, s.Turns, s.Checksums)
	}
	if want := turns/3 + 2*(turns/7+1) + 20*turns/50; s.Actions != want {
		t.Errorf("%d actions, want %d", s.Actions, want)
	}
	for i, want := range []struct {
		pid    uint8
		team   int
		obs    bool
		result Result
		reason LeaveReason
	}{{1, 0, false, Won, LeaveLocal}, {2, 1, false, Lost, LeaveRemote}, {3, 0, false, Won, LeaveRemote}, {4, 12, true, Unknown, LeaveRemote}} {
		p := s.Players[i]
		if p.PID != want.pid || p.Team != want.team || p.Observer != want.obs || p.Result != want.result || p.Leave.Reason != want.reason {
			t.Errorf("player %+v, want %+v", p, want)
		}
	}
	if fake := s.Players[4]; fake.Leave != nil || fake.Name != "Nobody" {
		t.Errorf("the fake player is %+v", fake)
	}
	if s.Winner != 0 {
		t.Errorf("team %d has won", s.Winner)
	}
	var said []string
	for _, c := range s.Chat {
		said = append(said, c.Text)
	}
	if want := []string{"loading…", "hello <all> & \"you\"", "grüße", "psst"}; !slices.Equal(said, want) {
		t.Errorf("said %q", said)
	}
	if s.Chat[1].Time != 1100*time.Millisecond || s.Chat[3].Scope != w3gs.ScopeSlot+1 {
		t.Errorf("chat %+v", s.Chat)
	}
	if last := s.Leaves[len(s.Leaves)-1]; last.PID != 1 || s.Leaves[0].Time != (turns-4)*100*time.Millisecond {
		t.Errorf("leaves %+v", s.Leaves)
	}
}

// TestGamesSideBySide is for the race detector: games that are written at the same time share
// pools of compressors and buffers.
func TestGamesSideBySide(t *testing.T) {
	var want memFile
	playGame(t, &want, 500)
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			var f memFile
			playGame(t, &f, 500)
			if findings := Verify(open(t, f.data)); len(findings) > 0 || !bytes.Equal(f.data, want.data) {
				t.Errorf("a game that is written beside others differs: %v", findings)
			}
		})
	}
}

// Each checksum stands right behind its own turn, although it came later.
func TestChecksumsFollowTheirTurns(t *testing.T) {
	f := &memFile{}
	playGame(t, f, 500)
	r := open(t, f.data)
	turn, last := -1, KindStartMark
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		switch rec.Kind {
		case KindTurn:
			turn++
		case KindChecksum:
			if got := binary.LittleEndian.Uint32(rec.Checksum); last != KindTurn || got != uint32(turn) {
				t.Fatalf("turn %d has the checksum %d", turn, got)
			}
		}
		last = rec.Kind
	}
}

// A turn whose checksum does not come in time is written without, and the
// checksums of later turns still find theirs.
func TestLateChecksumsAreLeftOut(t *testing.T) {
	f := &memFile{}
	w, err := NewWriter(f, game126, fourPlayers())
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		w.Turn(100*time.Millisecond, nil)
	}
	for i := range 10 {
		w.Checksum(uint32(i))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, turn, sums := open(t, f.data), -1, []int{}
	for rec, err := range r.Records() {
		if err != nil {
			break
		}
		if rec.Kind == KindTurn {
			turn++
		}
		if rec.Kind == KindChecksum {
			if got := int(binary.LittleEndian.Uint32(rec.Checksum)); got != turn {
				t.Errorf("turn %d has the checksum %d", turn, got)
			}
			sums = append(sums, turn)
		}
	}
	if turn != 9 || !slices.Equal(sums, []int{7, 8, 9}) {
		t.Errorf("%d turns, checksums of %v", turn+1, sums)
	}
}

func TestLeavesWhileLoading(t *testing.T) {
	f := &memFile{}
	w, err := NewWriter(f, game126, fourPlayers())
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range []uint8{2, 3, 4} {
		w.Left(pid, w3gs.LeaveDisconnect)
	}
	w.Turn(100*time.Millisecond, nil)
	w.Left(1, w3gs.LeaveLost)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var ids []byte
	r := open(t, f.data)
	for rec, err := range r.Records() {
		if err != nil {
			break
		}
		ids = append(ids, rec.ID)
	}
	want := []byte{recStart1, recStart2, recLeave, recLeave, recLeave, recStart3, recTurn, recLeave}
	if !bytes.Equal(ids, want) {
		t.Errorf("records % x, want % x", ids, want)
	}
	if findings := Verify(open(t, f.data)); len(findings) > 0 {
		t.Error(findings)
	}
}

// At every moment the file is a replay that lacks at most a second.
func TestFileIsWholeAfterEveryWrite(t *testing.T) {
	f := &memFile{keep: true}
	w, err := NewWriter(f, game126, fourPlayers())
	if err != nil {
		t.Fatal(err)
	}
	seen := len(f.snapshots) // of the start itself the header comes last
	for i := range 2000 {
		w.Turn(100*time.Millisecond, w3gs.AppendAction(nil, 1, order("hfoo")))
		if i >= 2 {
			w.Checksum(7)
		}
		now := time.Duration(i+1) * 100 * time.Millisecond
		for _, data := range f.snapshots[seen:] {
			r := open(t, data)
			if err := drain(r); err != nil {
				t.Fatalf("after turn %d: %v", i, err)
			}
			if short := now - r.time; short > time.Second {
				t.Fatalf("after turn %d the file lacks %v", i, short)
			}
		}
		seen = len(f.snapshots)
		r := open(t, f.data)
		if err := drain(r); err != nil || len(r.Findings) > 0 {
			t.Fatalf("after turn %d: %v, %v", i, err, r.Findings)
		}
	}
}

func drain(r *Reader) (err error) {
	for _, err = range r.Records() {
	}
	return err
}

func TestFullDiskEndsTheRecording(t *testing.T) {
	f := &memFile{}
	w, err := NewWriter(f, game126, fourPlayers())
	if err != nil {
		t.Fatal(err)
	}
	f.fail = errors.New("no space left on device")
	for range 20 {
		err = w.Turn(100*time.Millisecond, nil)
	}
	if !errors.Is(err, f.fail) || !errors.Is(w.Close(), f.fail) {
		t.Errorf("got %v", err)
	}
}

func TestWriterRefusesWhatCannotBeRead(t *testing.T) {
	for name, change := range map[string]func(*Start){
		"no host":    func(s *Start) { s.Players = nil },
		"zero byte":  func(s *Start) { s.Players[1].Name = "a\x00b" },
		"long name":  func(s *Start) { s.GameName = string(make([]byte, 5000)) },
		"many slots": func(s *Start) { s.Slots = make([]w3gs.Slot, 25) },
	} {
		s := fourPlayers()
		change(s)
		if _, err := NewWriter(&memFile{}, game126, s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	w, _ := NewWriter(&memFile{}, game126, fourPlayers())
	if err := w.Turn(100*time.Millisecond, make([]byte, 70000)); err == nil {
		t.Error("a turn of 70000 bytes is recorded")
	}
}

// Every real replay, written from what was read, has the same stream.
func TestRealStreamsSurviveWriting(t *testing.T) {
	for _, ref := range realReplays(t) {
		data := readReal(t, ref.File)
		r := open(t, data)
		f := &memFile{}
		w, err := newCopy(f, r.Program, &r.Start)
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range r.Records() {
			if err != nil {
				t.Fatal(err)
			}
			if err := w.copy(rec); err != nil {
				t.Fatal(err)
			}
		}
		w.time = r.Duration
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(inflated(t, f.data), inflated(t, data)) {
			t.Errorf("%s: the stream differs", ref.File)
		}
		if h, again := r.Header, open(t, f.data).Header; h.StreamSize != again.StreamSize || h.Blocks != again.Blocks || h.Duration != again.Duration || h.Program != again.Program {
			t.Errorf("%s: header %+v, was %+v", ref.File, again, h)
		}
		if findings := Verify(open(t, f.data)); len(findings) > 0 {
			t.Errorf("%s: %v", ref.File, findings)
		}
	}
}

// inflated is the stream of a file.
func inflated(t testing.TB, data []byte) []byte {
	t.Helper()
	r := open(t, data)
	s := &r.stream
	s.at = 0
	var all []byte
	all = append(all, s.buf...)
	for s.done == nil {
		s.at = len(s.buf)
		if s.have(1) {
			all = append(all, s.buf[s.at:]...)
		}
	}
	return all
}
