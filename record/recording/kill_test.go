package recording

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"w3host/formats/replay"
	"w3host/game"
	"w3host/internal/simdisk"
)

// A process that is killed in any access of the disk while it ends a replay, or finishes one that was left, leaves a replay that the
// next start has whole, under one name, and nothing beside it.
func TestKilledWhileFinishing(t *testing.T) {
	for kill, survived := 1, 0; survived < 2; kill++ { // until no kill comes, neither at the end nor at the next start
		synctest.Test(t, func(t *testing.T) {
			d := simdisk.New(uint64(kill))
			p, steps := d.Process(1), 0
			a, _ := open(t, Options{Dir: "/replays", Name: "x", Disk: p})
			r := begin(a, 1, "x")
			turns(r, 50)
			time.Sleep(2 * time.Second)
			synctest.Wait()
			p.Step = func() bool { steps++; return steps == kill }
			if kill%2 == 0 {
				tell(r, &game.Over{})
			} else {
				p.Kill() // before its end
			}
			time.Sleep(2 * time.Second)
			_ = a.Close(time.Second)
			second, more := d.Process(2), 0
			second.Step = func() bool { more++; return more == (kill+1)/2 }
			again, err := Open(Options{Dir: "/replays", Name: "x", Disk: second})
			if err == nil {
				time.Sleep(2 * time.Second)
				_ = again.Close(time.Second)
			}
			if survived++; steps >= kill || more >= (kill+1)/2 {
				survived = 0
			}
			last, _ := open(t, Options{Dir: "/replays", Name: "x", Disk: d.Process(3)})
			time.Sleep(2 * time.Second)
			if err := last.Close(time.Second); err != nil {
				t.Fatal(err)
			}
			files := strings.Join(d.Files(), " ")
			if files != "/replays/x.w3g" && files != "/replays/.minor /replays/x.w3g" {
				t.Fatalf("killed in access %d: %s is left", kill, files)
			}
			text, err := d.Process(4).ReadFile("/replays/x.w3g")
			if err != nil {
				t.Fatal(err)
			}
			in, err := replay.NewReader(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range in.Records() {
				if err != nil {
					t.Errorf("killed in access %d: %v", kill, err)
				}
			}
			if len(in.Findings) > 0 {
				t.Errorf("killed in access %d: %v", kill, in.Findings)
			}
		})
		if t.Failed() {
			return
		}
	}
}
