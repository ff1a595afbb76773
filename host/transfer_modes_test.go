package host_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"w3host/host"
	"w3host/internal/simnet"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
)

// TestTransferModes: who may download, as configured and as the owner says.
func TestTransferModes(t *testing.T) {
	mode := func(m mapxfer.Mode) func(*host.Options) {
		return func(o *host.Options) { o.Game.Transfer.Mode = m }
	}
	const wait = 30 * time.Second

	t.Run("off", func(t *testing.T) {
		r := newTransferRig(t, 1<<20, mode(mapxfer.Off))
		f := r.fetcher(t, "guest").have(0)
		f.removed(wait, "You were kicked: does not have the map, and downloads are off")
		if f.began > 0 || r.log.count("player left", "downloads are off") != 1 {
			t.Error("the download began, or the log does not say why they left")
		}
	})
	t.Run("on again", func(t *testing.T) {
		r := newTransferRig(t, 1<<20, mode(mapxfer.Off))
		owner := r.fetcher(t, "owner").haveAll()
		owner.Say("!downloads on")
		owner.hear(wait, func() bool { return owner.heard("Map downloads: on.") })
		f := r.fetcher(t, "guest").have(0)
		f.fetch(wait)
	})
	t.Run("ask", func(t *testing.T) {
		r := newTransferRig(t, 1<<20, mode(mapxfer.Ask))
		owner := r.fetcher(t, "owner").haveAll()
		f := r.fetcher(t, "guest").have(0)
		owner.hear(wait, func() bool {
			return owner.heard("guest does not have the map. An admin can allow the download with !download guest")
		})
		f.Say("!download guest")
		f.hear(wait, func() bool { return f.heard("Only the owner can use download.") })
		f.idle(100 * time.Millisecond)
		if f.began > 0 || f.file.Len() > 0 || f.closed {
			t.Error("the guest allowed themselves the map, or was removed")
		}
		owner.Say("!download gue")
		f.fetch(wait)
		if f.sum() != r.sum {
			t.Error("the map did not arrive")
		}
	})
	t.Run("ask from now on", func(t *testing.T) {
		r := newTransferRig(t, 1<<20, func(o *host.Options) { o.Game.Transfer.PlayerRate = 4 << 20 })
		owner := r.fetcher(t, "owner").haveAll()
		first := r.fetcher(t, "first").have(0)
		first.hear(wait, func() bool { return first.file.Len() > 0 })
		owner.Say("!downloads ask")
		owner.hear(wait, func() bool { return owner.heard("Map downloads: ask.") })
		second := r.fetcher(t, "second").have(0)
		first.fetch(wait) // goes on
		owner.hear(wait, func() bool { return owner.heard("second does not have the map") })
		second.idle(50 * time.Millisecond)
		if second.began > 0 {
			t.Error("a download began without permission")
		}
		owner.Say("!downloads on")
		second.fetch(wait)
	})
	t.Run("nobody of that name", func(t *testing.T) {
		r := newTransferRig(t, 1<<20, mode(mapxfer.Ask))
		owner := r.fetcher(t, "owner").haveAll()
		owner.Say("!download someone")
		owner.hear(wait, func() bool { return owner.heard(`No player matches "someone".`) })
	})
}

// TestTransferPlaces: with one place the second waits, is told so, and gets the
// map when the first has it.
func TestTransferPlaces(t *testing.T) {
	r := newTransferRig(t, 1<<20, func(o *host.Options) {
		o.Game.Transfer.MaxDownloaders, o.Game.Transfer.PlayerRate = 1, 4<<20
	})
	first := r.fetcher(t, "first").have(0)
	first.hear(30*time.Second, func() bool { return first.file.Len() > 0 })
	second, third := r.fetcher(t, "second").have(0), r.fetcher(t, "third")
	second.hear(30*time.Second, func() bool { return second.heard("You are number 1 in the queue for the map.") })
	third.have(0).hear(30*time.Second, func() bool { return third.heard("You are number 2 in the queue for the map.") })
	if second.began+third.began > 0 {
		t.Error("more than one downloads")
	}
	first.Conn.Close() // gives the place away, with half of the map
	second.fetch(30 * time.Second)
	third.fetch(30 * time.Second)
	if second.sum() != r.sum || third.sum() != r.sum {
		t.Error("the map did not arrive")
	}
	if at := second.done; third.arrivals[0].at.Before(at.Add(-50 * time.Millisecond)) {
		t.Errorf("the third got parts %v before the second was done", at.Sub(third.arrivals[0].at))
	}
}

// TestTransferRates: limits hold within 5 %, for each player and for all of
// them, while their slot tables come no more than once a second.
func TestTransferRates(t *testing.T) {
	for _, tc := range []struct {
		name    string
		cfg     mapxfer.Config
		players int
		want    float64 // bytes per second and player
	}{
		{"player", mapxfer.Config{PlayerRate: 500_000}, 2, 500_000},
		{"total", mapxfer.Config{TotalRate: 900_000}, 3, 300_000},
		{"both", mapxfer.Config{TotalRate: 900_000, PlayerRate: 300_000}, 2, 300_000},
		{"slow", mapxfer.Config{PlayerRate: 20_000}, 1, 20_000},
	} {
		transferMap(t, 4<<20) // which is kept beyond the bubble
		bubble(t, tc.name, func(t *testing.T, n *simnet.Net) {
			r := newTransferRig(t, 4<<20, inMemory(n, func(o *host.Options) {
				tc.cfg.MaxWindow = o.Game.Transfer.MaxWindow
				o.Game.Transfer = tc.cfg
			}))
			players := make([]*fetcher, tc.players)
			for i := range players {
				players[i] = r.fetcher(t, fmt.Sprintf("player %d", i+1))
			}
			time.Sleep(1100 * time.Millisecond) // the tables that tell of joins are out
			var wg sync.WaitGroup
			for _, f := range players {
				wg.Go(func() {
					f.idle(10 * time.Millisecond)
					f.tables = nil
					f.have(0).idle(3200 * time.Millisecond)
				})
			}
			wg.Wait()
			from := players[tc.players-1].asked.Add(200 * time.Millisecond)
			to := from.Add(3 * time.Second)
			for _, f := range players {
				got := f.rate(from, to)
				t.Logf("%s: %.0f bytes/s of %.0f, %d slot tables", f.name, got, tc.want, len(f.tables))
				if math.Abs(got-tc.want) > 0.02*tc.want {
					t.Errorf("%s: %.0f bytes/s, want %.0f", f.name, got, tc.want)
				}
				if all := f.rate(f.asked, to); all > 1.3*tc.want { // on any machine: what is not sent does not come
					t.Errorf("%s: %.0f bytes/s in all, no more than %.0f is allowed", f.name, all, tc.want)
				}
				f.checkTables()
			}
		})
	}
}

// checkTables wants tables that say more and more, a second apart.
func (f *fetcher) checkTables() {
	f.t.Helper()
	if n := len(f.tables); n == 0 || n > 5 {
		f.t.Errorf("%s saw %d slot tables in three seconds", f.name, n)
	}
	for i := 1; i < len(f.tables); i++ {
		before, this := f.tables[i-1], f.tables[i]
		gap := this.at.Sub(before.at)
		if gap < 990*time.Millisecond {
			f.t.Errorf("%s: two slot tables within %v", f.name, gap)
		}
		if before.percent != w3gs.DownloadUnknown && this.percent < before.percent || this.percent > 100 {
			f.t.Errorf("%s went from %d to %d %%", f.name, before.percent, this.percent)
		}
	}
}

// TestTransferTimeouts: who is too slow for the settings is told so and removed;
// the log and the record say why.
func TestTransferTimeouts(t *testing.T) {
	all := together{t: t}
	defer all.wait()
	for _, tc := range []struct {
		name string
		cfg  mapxfer.Config
		set  func(*fetcher)
		why  string
	}{
		{"download_timeout", mapxfer.Config{PlayerRate: 200_000, Timeout: 700 * time.Millisecond}, nil, "the download took too long"},
		{"acknowledges nothing", mapxfer.Config{Stall: 700 * time.Millisecond}, func(f *fetcher) { f.mute = true }, "no part was acknowledged for too long"},
	} {
		all.run(tc.name, func(t *testing.T) {
			r := newTransferRig(t, 2<<20, func(o *host.Options) {
				tc.cfg.MaxWindow = o.Game.Transfer.MaxWindow
				o.Game.Transfer = tc.cfg
			})
			j := newJudge(t)
			f := r.fetcher(t, "slow")
			if tc.set != nil {
				tc.set(f)
			}
			f.have(0).removed(30*time.Second, "You were kicked: "+tc.why)
			took := time.Since(f.asked)
			j.figure(took >= 700*time.Millisecond && took <= 1500*time.Millisecond, "removed after %v", took)
			records := r.book.all()
			if len(records) != 1 || records[0].Complete || records[0].Detail != tc.why || records[0].Name != "slow" {
				t.Errorf("records: %+v", records)
			}
			if r.log.count("player left", tc.why) != 1 {
				t.Error("the log does not say why they left")
			}
		})
	}
}

// TestTransferIsToldAndStored: a finished download is in the chat, in the log and
// in the records, with who, how much, how long and how fast.
func TestTransferIsToldAndStored(t *testing.T) {
	r := newTransferRig(t, 1<<20, func(o *host.Options) { o.Game.Transfer.PlayerRate = 4_000_000 })
	j := newJudge(t)
	witness := r.fetcher(t, "witness").haveAll()
	f := r.fetcher(t, "newcomer").have(0)
	f.fetch(30 * time.Second)
	took := f.done.Sub(f.asked)
	witness.hear(30*time.Second, func() bool { return witness.heard("newcomer has downloaded the map: 1.0 MB in ") })
	f.hear(30*time.Second, func() bool { return f.heard("newcomer has downloaded the map") })
	if n := r.log.count("map downloaded", `"player":"newcomer"`, fmt.Sprintf(`"bytes":%d`, r.m.Size), "kb_per_s"); n != 1 {
		t.Errorf("%d lines in the log", n)
	}
	records := r.book.all()
	if len(records) != 1 {
		t.Fatalf("%d records", len(records))
	}
	d := records[0]
	if !d.Complete || d.Name != "newcomer" || d.PID != f.PID || d.Bytes != int64(r.m.Size) {
		t.Errorf("record %+v", d)
	}
	j.figure((d.Took-took).Abs() <= 100*time.Millisecond, "recorded as %v, took %v", d.Took, took)
	f.hear(30*time.Second, func() bool { n := len(f.tables); return n > 0 && f.tables[n-1].percent == 100 })
}
