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

// TestTransferIsToldAndStored: a finished download is in the chat, in the log and
// in the records, with who, how much, how long and how fast.
func TestTransferIsToldAndStored(t *testing.T) {
	r := newTransferRig(t, 1<<20, func(o *host.Options) { o.Game.Transfer.PlayerRate = 4_000_000 })
	witness := r.fetcher(t, "witness").haveAll()
	f := r.fetcher(t, "newcomer").have(0)
	f.fetch(30 * time.Second)
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
	if !d.Complete || d.Name != "newcomer" || d.PID != f.PID || d.Bytes != int64(r.m.Size) || d.Took <= 0 {
		t.Errorf("record %+v", d)
	}
	f.hear(30*time.Second, func() bool { n := len(f.tables); return n > 0 && f.tables[n-1].percent == 100 })
}
