package host_test

import (
	"testing"
	"time"

	"w3host/bots"
	"w3host/host"
)

// TestTransferToOneAndTen: the map arrives byte by byte, also beside clients that stop reading, leave and come. The bots write what
// they get and hash it. mapxfer tests the habits of acknowledging.
func TestTransferToOneAndTen(t *testing.T) {
	all := func(c bots.Conduct) func(dir string) func(game, seat int) bots.Conduct {
		return func(dir string) func(game, seat int) bots.Conduct {
			return func(int, int) bots.Conduct {
				c.Download = dir
				return c
			}
		}
	}
	for _, tc := range []struct {
		name    string
		players int
		whole   int
		size    int
		rate    int64 // of each player, where a download must take its time
		conduct func(dir string) func(game, seat int) bots.Conduct
	}{
		{"one", 1, 1, 4 << 20, 0, all(bots.Conduct{})},
		{"ten", 10, 10, 2 << 20, 0, all(bots.Conduct{})},
		{"one of ten stops reading", 10, 10, 1 << 20, 0, func(dir string) func(game, seat int) bots.Conduct {
			return func(_, seat int) bots.Conduct {
				c := bots.Conduct{Download: dir}
				if seat == 3 {
					c.StallAtPercent, c.StallFor = 50, 700*time.Millisecond
				}
				return c
			}
		}},
		{"one leaves, one joins", 4, 3, 1 << 20, 2 << 20, func(dir string) func(game, seat int) bots.Conduct {
			return func(_, seat int) bots.Conduct {
				c := bots.Conduct{Download: dir}
				switch seat {
				case 1:
					c.LeaveAtPercent = 50
				case 2:
					c.JoinAtPercent = 50
				}
				return c
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newTransferRig(t, tc.size, func(o *host.Options) { o.Game.Transfer.PlayerRate = tc.rate })
			report := r.bots(tc.whole, bots.Options{Players: tc.players, Conduct: tc.conduct(t.TempDir())})
			r.whole(report, tc.whole)
			if report.Joined != tc.players {
				t.Errorf("%d of %d joined", report.Joined, tc.players)
			}
			if n := r.log.count("map packet ignored"); n > 0 {
				t.Errorf("%d packets of honest clients made no sense", n)
			}
		})
	}
}
