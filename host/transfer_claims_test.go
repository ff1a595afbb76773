package host_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"w3host/bots"
	"w3host/host"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// TestTransferResumes: a client with a part of the file gets the rest, and no
// byte of what it has.
func TestTransferResumes(t *testing.T) {
	r := newTransferRig(t, transferSize(1<<20), nil)
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

// TestTransferNonsense: what cannot be true is corrected, or costs the client
// its place; either way the log has the reason.
func TestTransferNonsense(t *testing.T) {
	// Slow enough that a download is under way when the claim comes.
	r := newTransferRig(t, 1<<20, func(o *host.Options) { o.Game.Transfer.PlayerRate = 4 << 20 })
	size := int(r.m.Size)
	downloading := func(f *fetcher) {
		f.have(0)
		f.hear(30*time.Second, func() bool { return f.file.Len() > 100_000 })
	}
	for _, tc := range []struct {
		name   string
		say    func(f *fetcher)
		log    string
		out    bool // removed
		silent bool // nothing in the log
	}{
		{"more than the map", func(f *fetcher) { f.have(size + 1) }, "claimed more bytes than the map has", false, false},
		{"far more than the map", func(f *fetcher) { f.have(0xFFFFFFFF) }, "claimed more bytes than the map has", false, false},
		{"unknown flag", func(f *fetcher) {
			f.must(f.Tell(&w3gs.MapSize{Flag: 2, Size: 5}))
			f.have(0)
		}, "unknown flag in a map size report", false, false},
		{"parts before a download", func(f *fetcher) {
			f.ack(1442)
			f.have(0)
		}, "acknowledged parts without a download", false, false},
		{"backwards", func(f *fetcher) { downloading(f); f.ack(1442) }, "acknowledged fewer bytes than before", false, false},
		{"backwards for ever", func(f *fetcher) {
			downloading(f)
			for range 40 {
				f.ack(1442)
			}
		}, "acknowledged fewer bytes than before", true, false},
		{"for another player", func(f *fetcher) {
			downloading(f)
			f.must(f.Tell(&w3gs.MapPartOK{To: f.from, From: f.PID + 1, Size: uint32(size)}))
		}, "spoke for another player", false, false},
		{"more than was sent", func(f *fetcher) { downloading(f); f.ack(size) }, "acknowledged bytes that were never sent", true, false},
		{"more than the map, by 0x44", func(f *fetcher) { downloading(f); f.ack(size + 1) }, "claimed more bytes than the map has", true, false},
		{"more than was sent, by 0x42", func(f *fetcher) {
			downloading(f)
			f.must(f.Tell(&w3gs.MapSize{Flag: w3gs.MapDownloading, Size: uint32(size)}))
		}, "acknowledged bytes that were never sent", true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before, others := r.log.count(tc.log), r.log.count("player left")
			f := r.fetcher(t, "liar")
			tc.say(f)
			if tc.out {
				f.removed(30*time.Second, "You were kicked: "+tc.log)
			} else {
				f.fetch(10 * time.Second)
				if f.sum() != r.sum {
					t.Error("the map did not arrive")
				}
			}
			if r.log.count(tc.log) == before {
				t.Errorf("no line of the log says %q", tc.log)
			}
			f.Conn.Close()
			testkit.Eventually(t, "gone", func() bool { return r.log.count("player left") > others })
		})
	}
}

// TestTransferRefusedForEver: a client that refuses what it is sent is taken for
// one that does not want the map, and cannot stay without it.
func TestTransferRefusedForEver(t *testing.T) {
	r := newTransferRig(t, 1<<20, nil)
	f := r.fetcher(t, "stubborn")
	f.onPart = func(q w3gs.MapPart) {
		if q.Offset == 0 {
			f.must(f.Tell(&w3gs.MapPartNotOK{To: q.From, From: f.PID}))
		}
	}
	f.have(0).removed(30*time.Second, "You were kicked: does not have the map: the client declined the download")
	testkit.Eventually(t, "the end of the download in the game log", func() bool {
		all := r.book.all()
		return len(all) == 1 && all[0].Name == "stubborn" && !all[0].Complete && all[0].Detail == "the client declined the download"
	})
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
