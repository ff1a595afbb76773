package recording

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/game"
	"w3host/internal/disk"
	"w3host/lobby"
	"w3host/protocol/w3gs"
)

// replayed records a game of so many minutes, in which those people act, and returns the name of its file.
func replayed(t *testing.T, a *Archive, id uint32, minutes int, addrs []string, actors ...uint8) string {
	t.Helper()
	r := a.New(About{Game: replay.HostOf(replay.ProductExpansion, 26), Opened: opened})
	tell(r, &game.Opened{Config: &game.Config{ID: id, Name: "x"}})
	started := &game.Started{Addrs: map[uint8]netip.AddrPort{}, Fakes: []lobby.Player{{PID: 9, Name: "Fake", Fake: true}}}
	for i, addr := range addrs {
		pid := uint8(i + 2)
		started.Players = append(started.Players, lobby.Player{PID: pid, Name: fmt.Sprint("P", pid)})
		started.Addrs[pid] = netip.AddrPortFrom(netip.MustParseAddr(addr), 6112)
		started.Table.Slots = append(started.Table.Slots, w3gs.Slot{PID: pid, Status: w3gs.SlotOccupied})
	}
	tell(r, started)
	for i := range minutes * 60 {
		var actions []byte
		if i == 5 {
			for _, pid := range actors {
				actions = w3gs.AppendAction(actions, pid, []byte{0x1A})
			}
		}
		tell(r, &game.Turned{Number: uint32(i + 1), Increment: 1000, Actions: actions})
	}
	tell(r, &game.Over{})
	return r.Name()
}

// Short games, those in which fewer than two people act, and those of one address go first, the oldest before the others.
func TestMinorReplaysGoFirst(t *testing.T) {
	apart, same, shared := []string{"192.0.2.1", "198.51.100.7"}, []string{"192.0.2.1", "192.0.2.1"}, []string{"10.0.0.5", "10.0.0.5"}
	exempt := func(a netip.Addr) bool { return netip.MustParsePrefix("10.0.0.0/8").Contains(a) }
	dir := t.TempDir()
	a, _ := open(t, Options{Dir: dir, Name: "{id}", Exempt: exempt})
	ids, games := uint32(0), map[string]bool{} // by name of the file: it is minor
	add := func(minor bool, minutes int, addrs []string, actors ...uint8) {
		ids++
		games[replayed(t, a, ids, minutes, addrs, actors...)] = minor
	}
	add(false, 3, apart, 2, 3)
	add(true, 1, apart, 2, 3)
	add(true, 3, apart, 2)
	add(true, 3, apart, 2, 9)
	add(true, 3, same, 2, 3)
	add(false, 3, shared, 2, 3)
	add(true, 3, []string{"2001:db8::1", "2001:db8::2"}, 2, 3) // one subscriber
	if err := a.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	part := "left" + suffix + partSuffix // of nobody, and no replay
	for i, name := range append([]string{part}, slices.Sorted(func(yield func(string) bool) {
		for name := range games {
			if !yield(name) {
				return
			}
		}
	})...) {
		path := filepath.Join(dir, name)
		if name == part {
			if err := os.WriteFile(path, make([]byte, 300), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		at := time.Now().Add(time.Duration(i-20) * time.Minute)
		if i == 0 {
			at = time.Now() // the newest of all
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	again, _ := open(t, Options{Dir: dir, Name: "{id}"})
	if err := again.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	files, total, err := again.list()
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, f := range files {
		order = append(order, f.name)
	}
	want := []string{"2.w3g", "3.w3g", "4.w3g", "5.w3g", "7.w3g", part, "1.w3g", "6.w3g"}
	if !slices.Equal(order, want) {
		t.Errorf("they go in the order %v, want %v", order, want)
	}
	again.opts.KeepBytes = total - files[0].size - files[1].size
	again.prune(time.Now())
	if left, _, _ := again.list(); len(left) != len(want)-2 || left[0].name != "4.w3g" {
		t.Errorf("left are %v", left)
	}
	again.opts.KeepBytes = 1
	again.prune(time.Now())
	if left, _, _ := again.list(); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}

// Parts that are being written count, and stay.
func TestPartsInUseStay(t *testing.T) {
	dir := t.TempDir()
	a, _ := open(t, Options{Dir: dir, Name: "{id}"})
	if err := a.Close(time.Minute); err != nil { // its goroutine prunes as well
		t.Fatal(err)
	}
	part := filepath.Join(dir, "busy"+suffix+partSuffix)
	if err := os.WriteFile(part, make([]byte, 1000), 0o644); err != nil {
		t.Fatal(err)
	}
	lock, err := lockPart(disk.System, part)
	if err != nil {
		t.Fatal(err)
	}
	a.opts.KeepBytes = 1
	if a.prune(time.Now()); free(disk.System, part) == nil {
		t.Error("a part is removed that somebody writes")
	}
	_ = lock.Unlock()
	if a.prune(time.Now()); free(disk.System, part) != nil {
		t.Error("a part that nobody writes stays")
	}
}

// A replay that becomes too long is finished as a valid file below the bound, and the log says so.
func TestLongReplay(t *testing.T) {
	dir := t.TempDir()
	a, log := open(t, Options{Dir: dir, Name: "long"})
	a.mostFile = 1 << 20
	r := begin(a, 1, "x")
	noise := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 900)
	for i := range 3000 {
		for k := range text {
			text[k] = byte('0' + noise.IntN(64))
		}
		data := fmt.Appendf([]byte{0x6B}, "c\x00%s\x00k\x00\x01\x00\x00\x00", text) // an integer that is stored
		tell(r, &game.Turned{Number: uint32(i + 1), Increment: 100, Actions: w3gs.AppendAction(nil, 2, data)})
		for a.bytes.Load() > 16*batchBytes { // as slowly as turns come
			time.Sleep(time.Millisecond)
		}
	}
	tell(r, &game.Over{})
	if err := a.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "long"+suffix)
	stat, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	s := summary(t, file)
	if stat.Size() > a.mostFile || stat.Size() < a.mostFile/2 || s.Turns < 500 || s.Turns > 1600 || !strings.Contains(log.String(), "ends here") {
		t.Errorf("%d bytes, %d turns; the log: %s", stat.Size(), s.Turns, log)
	}
	if parts, _ := filepath.Glob(filepath.Join(dir, "*"+partSuffix)); len(parts) > 0 {
		t.Errorf("there are %v", parts)
	}
}

// What waits for a disk that hangs is bounded by its bytes.
func TestBytesThatWait(t *testing.T) {
	a := &Archive{jobs: make(chan *batch, mostBatches)}
	n := 0
	for a.put(&batch{bytes: make([]byte, 1<<20)}) {
		n++
	}
	if n != mostBytes>>20 {
		t.Errorf("%d MiB wait, want %d", n, mostBytes>>20)
	}
}
