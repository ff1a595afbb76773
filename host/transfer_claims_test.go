package host_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"w3host/bots"
	"w3host/internal/testkit"
)

// TestTransferResumes: a client with a part of the file gets the rest, and no
// byte of what it has.
func TestTransferResumes(t *testing.T) {
	r := newTransferRig(t, 1<<20, nil)
	dir := t.TempDir()
	half := int(r.m.Size)/2 + 100 // not where a part begins
	left := filepath.Join(dir, "bot-1-filler.w3x.part")
	if err := os.WriteFile(left, wholeFile(r)[:half], 0o644); err != nil {
		t.Fatal(err)
	}
	report := r.bots(1, bots.Options{Players: 1, Conduct: func(int, int) bots.Conduct { return bots.Conduct{Download: dir} }})
	r.whole(report, 1)
	if d := report.Downloads[0]; d.Resumed != int64(half) {
		t.Errorf("resumed from %d, want %d", d.Resumed, half)
	}
	if d := r.book.all()[0]; d.Bytes != int64(r.m.Size)-int64(half) {
		t.Errorf("the record says %d bytes were sent, %d were missing", d.Bytes, int(r.m.Size)-half)
	}
}

// wholeFile puts the map together again from its parts.
func wholeFile(r *transferRig) []byte {
	file := make([]byte, 0, r.m.Size)
	for off := uint32(0); off < r.m.Size; off = r.m.Parts.End(off) {
		file = append(file, r.m.Parts.Data(off)...)
	}
	return file
}

// TestLeaveWhileTheMapComes: the game log has how much a player had who leaves before the map is whole.
func TestLeaveWhileTheMapComes(t *testing.T) {
	r := newTransferRig(t, 4<<20, nil)
	f := r.fetcher(t, "hasty")
	f.have(0).hear(30*time.Second, func() bool { return f.file.Len() >= 1<<20 })
	f.must(f.Conn.Close())
	testkit.Eventually(t, "the end of the download in the game log", func() bool {
		all := r.book.all()
		return len(all) == 1 && all[0].Name == "hasty" && !all[0].Complete && all[0].Detail == "the player has left" && all[0].Bytes > 0 && all[0].Took > 0
	})
}
