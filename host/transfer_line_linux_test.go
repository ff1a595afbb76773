//go:build !portable

package host_test

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"w3host/host"
	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// lineCase is a number of players who fetch the map over one line: a router's
// queue, and packets of 1500 bytes between real kernels.
type lineCase struct {
	rate    int64 // bytes per second
	players int
	apart   time.Duration // between two who begin
	delay   time.Duration // of the line, each way
	shaped  bool          // by the kernel (tbf), without a delay
	loss    float64       // share of the packets
	every   int           // acknowledge each such many parts; 0 is each
	control string        // congestion control of the host's kernel; "" is its default
}

func (c lineCase) String() string {
	text := fmt.Sprintf("%d kB per s, %d players", c.rate/1000, c.players)
	if c.apart > 0 {
		text += ", one after the other"
	}
	if c.shaped {
		text += ", tbf"
	} else {
		text += fmt.Sprintf(", %v", 2*c.delay)
	}
	if c.loss > 0 {
		text += fmt.Sprintf(", %.0f %% lost", 100*c.loss)
	}
	if c.every > 0 {
		text += fmt.Sprintf(", every %dth", c.every)
	}
	return strings.TrimSuffix(text+", "+c.control, ", ")
}

// lineCases are the whole matrix, and what is played always.
func lineCases() []lineCase {
	const far, near, apart = 50 * time.Millisecond, 10 * time.Millisecond, 400 * time.Millisecond
	if !transfersLong() {
		return []lineCase{
			{rate: 1_000_000, players: 3, delay: far, apart: apart},
			{rate: 100_000, players: 10, delay: far},
			{rate: 100_000, players: 20, delay: far, every: 64},
		}
	}
	var cases []lineCase
	for _, rate := range []int64{100_000, 1_000_000, 10_000_000} {
		for _, players := range []int{1, 2, 3, 6, 10, 20} {
			cases = append(
				cases, lineCase{rate: rate, players: players, delay: far},
				lineCase{rate: rate, players: players, delay: far, apart: apart},
			)
		}
		cases = append(
			cases,
			lineCase{rate: rate, players: 3, delay: near, loss: 0.01},
			lineCase{rate: rate, players: 10, delay: near, loss: 0.01},
			lineCase{rate: rate, players: 3, delay: far, every: 64},
			lineCase{rate: rate, players: 10, delay: far, every: 64},
			lineCase{rate: rate, players: 3, delay: far, apart: apart, control: "cubic"},
			lineCase{rate: rate, players: 10, delay: far, apart: apart, control: "cubic"},
			lineCase{rate: rate, players: 1, shaped: true},
			lineCase{rate: rate, players: 10, shaped: true, apart: apart},
		)
	}
	return cases
}

// lineTries is how often a case is played on a machine that has no time for it.
const lineTries = 3

// TestTransferOnALine: players who share a line get the same of it, fill it, and
// do not keep chat waiting. It ends with a table of what was measured.
func TestTransferOnALine(t *testing.T) {
	t.Parallel()
	testkit.InNamespace(t, func(t *testing.T) {
		var table lineTable
		for _, c := range lineCases() {
			again := true
			for try := 1; again; try++ {
				again = false
				t.Run(c.String(), func(t *testing.T) { again = c.play(t, &table, try < lineTries) })
			}
		}
		t.Logf("what was measured:\n%s", &table)
	})
}

// play reports whether the machine had no time for it, and it is to be played again.
func (c lineCase) play(t *testing.T, table *lineTable, mayTryAgain bool) bool {
	j := newJudge(t)
	far := testkit.NewFar(t)
	queue := c.wire(t, far)
	r := serveTransfers(t, func(o *host.Options) {
		var err error
		if o.Listeners, err = host.Listen(nil, "0.0.0.0:0", ""); err != nil {
			t.Fatal(err)
		}
		o.Game.Version = 29
	})
	r.lobbyOf(t, 23, 64<<20)
	stop := make(chan struct{})
	var done sync.WaitGroup
	talkers := min(8, 23-c.players)
	for i := range talkers {
		f := r.fetcherAt(t, fmt.Sprintf("127.0.0.1:%d", r.host.Addr().Port()), fmt.Sprintf("talker %d", i)).haveAll().drain()
		done.Go(func() {
			time.Sleep(talkEvery * time.Duration(i) / time.Duration(talkers))
			f.talk(stop)
		})
	}
	lasting := 8 * time.Second
	if !transfersLong() {
		lasting = 3 * time.Second
	}
	fetchers := make([]*fetcher, c.players)
	for i := range fetchers {
		var nc net.Conn
		var err error
		far.Do(func() { nc, err = net.Dial("tcp4", fmt.Sprintf("10.99.0.1:%d", r.host.Addr().Port())) })
		if err != nil {
			t.Fatal(err)
		}
		fetchers[i] = r.fetcherOn(t, testkit.NewClient(t, nc.(*net.TCPConn)), fmt.Sprintf("far %d", i))
		fetchers[i].every = c.every
	}
	begun := time.Now().Add(time.Duration(c.players)*c.apart + 2*time.Second)
	end := begun.Add(lasting)
	for i, f := range fetchers {
		done.Go(func() {
			f.idle(time.Duration(i) * c.apart)
			f.have(0)
			f.hear(time.Minute, func() bool { return !f.done.IsZero() || time.Now().After(end) })
		})
	}
	time.Sleep(time.Until(end))
	close(stop)
	done.Wait()
	figures := c.measure(fetchers, begun, end)
	figures.queue = queue()
	j.hear()
	inBytes, inTime := figures.missed()
	if len(inBytes) == 0 && len(inTime) > 0 && j.busy > judgeBusy && !transfersLong() {
		away := fmt.Sprintf("the machine was away for %.0f %% of the time: %v", 100*j.busy, inTime)
		if !mayTryAgain {
			tier.Unable(t, "needs a quieter machine: %s", away)
		}
		t.Log("played again, " + away)
		return true
	}
	missed := append(inBytes, inTime...)
	for _, m := range missed {
		t.Error(m)
	}
	table.add(&figures, len(missed) == 0)
	return false
}

// wire makes the line. The result tells how long a packet had to wait for it.
func (c lineCase) wire(t *testing.T, far *testkit.Far) (longest func() time.Duration) {
	longest = func() time.Duration { return 0 } // tbf does not tell
	if !c.shaped {
		longest = far.Wire(t, testkit.Line{Delay: c.delay, Rate: c.rate, Buffer: int(max(c.rate/4, 64<<10))}, c.loss)
	} else {
		far.Pair(t, fmt.Sprintf("tbf rate %dbit burst 10kb latency 250ms", 8*c.rate))
	}
	if c.control == "" {
		return longest
	}
	route, err := testkit.Run("ip route show 10.99.0.0/24")
	if err == nil {
		_, err = testkit.Run("ip route replace " + route + " congctl " + c.control)
	}
	if err != nil {
		tier.Unable(t, "needs a congestion control: %v", err)
	}
	return longest
}

// talkEvery is more than what mutes a player.
const talkEvery = 1300 * time.Millisecond

// talk says a line now and then until stop is closed.
func (f *fetcher) talk(stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(talkEvery):
			f.sayTime()
		}
	}
}
