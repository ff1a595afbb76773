package mapxfer

import (
	"fmt"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"
)

const (
	slowLine = 1_000_000 // bytes per second
	halfTrip = 50 * time.Millisecond
	mapSize  = 16<<20 + 777 // the last part is a short one
	lanTrip  = 50 * time.Microsecond
)

// chat is how long lines of chat took beyond the bare line, at quantile q.
func (c *simClient) chat(q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(c.delays))
	return sorted[int(q*float64(len(sorted)-1))] - c.line.delay
}

// queueTime is the most that ever waited in the host's out queue, in time.
func (c *simClient) queueTime() time.Duration {
	return time.Duration(float64(c.highQueue) / float64(c.line.rate) * float64(time.Second))
}

// TestOnePlayer: every habit of acknowledging gets its map, fast, and never has
// more of it queued than a fraction of a second of its own speed.
func TestOnePlayer(t *testing.T) {
	for _, tc := range []struct {
		name  string
		set   func(c *simClient)
		rate  int64
		delay time.Duration
		share float64       // of the line, at least
		queue time.Duration // chat behind the parts, 95th percentile, at most
	}{
		{"each part", nil, slowLine, halfTrip, 0.94, 80 * time.Millisecond},
		{"no figures", func(c *simClient) { c.blind = true }, slowLine, halfTrip, 0.94, 80 * time.Millisecond},
		{"flag 3", func(c *simClient) { c.flag3 = true }, slowLine, halfTrip, 0.94, 80 * time.Millisecond},
		{"each part, small buffers", func(c *simClient) { c.cwnd = 64 << 10 }, slowLine, halfTrip, 0.6, 80 * time.Millisecond},
		{"half a second late, small buffers", func(c *simClient) { c.late, c.cwnd = 500*time.Millisecond, 64<<10 }, slowLine, halfTrip, 0.6, 250 * time.Millisecond},
		{"every 8th", func(c *simClient) { c.every = 8 }, slowLine, halfTrip, 0.93, 80 * time.Millisecond},
		{"every 64th", func(c *simClient) { c.every = 64 }, slowLine, halfTrip, 0.9, 300 * time.Millisecond},
		{"half a second late", func(c *simClient) { c.late = 500 * time.Millisecond }, slowLine, halfTrip, 0.75, 250 * time.Millisecond},
		{"twice a second", func(c *simClient) { c.timer = 500 * time.Millisecond }, slowLine, halfTrip, 0.8, 800 * time.Millisecond},
		{"each frame", func(c *simClient) { c.timer = 33 * time.Millisecond }, slowLine, halfTrip, 0.93, 120 * time.Millisecond},
		{"1 % refused", func(c *simClient) { c.nak = 0.01 }, slowLine, halfTrip, 0.38, 100 * time.Millisecond},
		{"1 % refused with all that follows", func(c *simClient) { c.nak, c.noisy = 0.01, true }, slowLine, halfTrip, 0.38, 100 * time.Millisecond},
		{"1 % refused, every 8th", func(c *simClient) { c.nak, c.every = 0.01, 8 }, slowLine, halfTrip, 0.35, 100 * time.Millisecond},
		{"silent for 20 s", func(c *simClient) { c.sleepAt, c.sleepFor = 5<<20, 20*time.Second }, slowLine, halfTrip, 0.4, 20 * time.Second},
		{"LAN", nil, 100_000_000, lanTrip, 0.95, 80 * time.Millisecond},
		{"LAN, every 8th", func(c *simClient) { c.every = 8 }, 100_000_000, lanTrip, 0.95, 80 * time.Millisecond},
		{"LAN, 1 % refused", func(c *simClient) { c.nak = 0.01 }, 100_000_000, lanTrip, 0.1, 20 * time.Millisecond},
		{"LAN, half a second late", func(c *simClient) { c.late = 500 * time.Millisecond }, 50_000_000, lanTrip, 0.05, 80 * time.Millisecond},
		{"loopback", nil, 1_000_000_000, lanTrip, 0.9, 20 * time.Millisecond},
		{"thin line", nil, 100_000, halfTrip, 0.9, 150 * time.Millisecond},
		{"thin line, every 64th", func(c *simClient) { c.every = 64 }, 100_000, halfTrip, 0.9, 3 * time.Second},
		{"lazy acknowledgements of TCP", func(c *simClient) { c.lazy = true }, slowLine, halfTrip, 0.94, 80 * time.Millisecond},
		{"thin line, the same", func(c *simClient) { c.lazy = true }, 100_000, halfTrip, 0.9, 150 * time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			size := mapSize
			if tc.rate < slowLine {
				size = 3_000_001
			}
			m := newSim(t, Defaults(), size)
			c := m.client(2, m.line(tc.rate, tc.delay), tc.set).join(0, 0)
			m.run(10 * time.Minute)
			c.whole()
			share := c.speed() / float64(tc.rate)
			t.Logf("%.1f %% of the line; chat waits %v (95 %%), %v at most; out queue %v; sent %.2f times",
				share*100, c.chat(0.95), c.chat(1), c.queueTime(), float64(c.handed)/float64(size))
			if share < tc.share {
				t.Errorf("%.1f %% of the line, want %.0f %%", share*100, tc.share*100)
			}
			if got := c.chat(0.95); got > tc.queue {
				t.Errorf("chat waits %v, want %v at most", got, tc.queue)
			}
			if c.queueTime() > 150*time.Millisecond {
				t.Errorf("out queue of %v", c.queueTime())
			}
			if c.nak == 0 && c.handed != int64(size) {
				t.Errorf("sent %d bytes of a map of %d", c.handed, size)
			}
			if c.began != 1 || len(m.said) != 1 {
				t.Errorf("%d times 0x3F, then %v", c.began, m.said)
			}
		})
	}
}

// TestTwoShareALine: players on one line get the same, whether its buffer is
// shared out by a relay or is one queue, and also who joins later.
func TestTwoShareALine(t *testing.T) {
	for _, fair := range []bool{true, false} {
		for _, join := range []time.Duration{0, 10 * time.Millisecond, 3 * time.Second, 8 * time.Second} {
			t.Run(fmt.Sprintf("fair %v, join %v", fair, join), func(t *testing.T) {
				m := newSim(t, Config{}, mapSize)
				l := m.line(slowLine, halfTrip)
				l.fair = fair
				a, b := m.client(2, l, nil).join(0, 0), m.client(3, l, nil).join(join, 0)
				m.run(10 * time.Minute)
				a.whole()
				b.whole()
				from, to := join+time.Second, min(a.doneAt, b.doneAt)-time.Second
				x, y := float64(a.bytesBetween(from, to)), float64(b.bytesBetween(from, to))
				total := (x + y) / (to - from).Seconds() / slowLine
				t.Logf("%.1f %% and %.1f %%, together %.1f %% of the line; chat waits %v",
					100*x/(x+y), 100*y/(x+y), 100*total, max(a.chat(0.95), b.chat(0.95)))
				if x/y > 1.1 || y/x > 1.1 {
					t.Errorf("one got %.2f times what the other got", max(x/y, y/x))
				}
				if total < 0.93 {
					t.Errorf("together %.1f %% of the line", 100*total)
				}
				if got := max(a.chat(0.95), b.chat(0.95)); got > 200*time.Millisecond {
					t.Errorf("chat waits %v", got)
				}
			})
		}
	}
}

// TestPlayersOnALine: whoever shares a line gets the same of it, the line is
// full, and chat is not kept waiting, whether all begin at once or one by one.
// With W3HOST_TEST_LONG=1 it plays all cases.
func TestPlayersOnALine(t *testing.T) {
	crowds, rates := []int{3, 10}, []int64{100_000, 1_000_000}
	if os.Getenv("W3HOST_TEST_LONG") != "" {
		crowds, rates = []int{1, 2, 3, 6, 10, 20}, append(rates, 10_000_000)
	}
	for _, rate := range rates {
		for _, players := range crowds {
			for _, tc := range []struct {
				name  string
				apart time.Duration // between two who begin
				trip  time.Duration // one way
				set   func(c *simClient)
				loss  float64
			}{
				{"together", 0, halfTrip, nil, 0},
				{"staggered", 700 * time.Millisecond, halfTrip, nil, 0},
				{"1 % lost", 50 * time.Millisecond, halfTrip / 5, nil, 0.01}, // chat behind a lost packet waits a round trip for it
				{"300 ms late", 50 * time.Millisecond, halfTrip, func(c *simClient) { c.late = 300 * time.Millisecond }, 0},
				{"every 64th", 50 * time.Millisecond, halfTrip, func(c *simClient) { c.every = 64 }, 0},
				{"lazy TCP", 50 * time.Millisecond, halfTrip, func(c *simClient) { c.lazy = true }, 0},
				// A share of the window is a few parts.
				{"near, by one to three", 400 * time.Millisecond, lanTrip, func(c *simClient) { c.lazy, c.every = true, 1+int(c.pid%3) }, 0},
			} {
				name := fmt.Sprintf("%d kB per s, %d players, %s", rate/1000, players, tc.name)
				t.Run(name, func(t *testing.T) { playersOnALine(t, rate, tc.trip, players, tc.apart, tc.set, tc.loss) })
			}
		}
	}
}

func playersOnALine(t *testing.T, rate int64, trip time.Duration, players int, apart time.Duration, set func(c *simClient), loss float64) {
	begun := time.Duration(players)*apart + 2*time.Second
	lasting := min(30*time.Second, time.Duration(80e6/float64(rate)*float64(time.Second)))
	size := int(float64(rate)*(begun+lasting).Seconds()) / players
	m := newSim(t, Config{}, size+int(float64(rate)*begun.Seconds()))
	l := m.line(rate, trip)
	l.loss = loss
	for i := range players {
		m.client(uint8(2+i), l, set).join(time.Duration(i)*apart, 0)
	}
	m.run(begun + lasting)
	sum, least, most := 0, 1<<40, 0
	var delays []time.Duration
	for _, c := range m.clients {
		n := c.bytesBetween(begun, begun+lasting)
		sum, least, most = sum+n, min(least, n), max(most, n)
		delays = append(delays, c.delays...)
	}
	slices.Sort(delays)
	chat := delays[len(delays)*95/100]
	full := float64(sum) / lasting.Seconds() / float64(rate)
	t.Logf("%5.1f %% of the line, shares within %.1f %%, chat p50 %v p95 %v max %v", 100*full, 100*(float64(most)/float64(least)-1),
		delays[len(delays)/2], chat, delays[len(delays)-1])
	if float64(most) > 1.1*float64(least) {
		t.Errorf("shares from %d to %d bytes", least, most)
	}
	if full < 0.9 {
		t.Errorf("%.1f %% of the line", 100*full)
	}
	if most := 150 * time.Millisecond; chat > most && loss == 0 || chat > most+2*l.delay { // TCP sends it again
		t.Errorf("chat took %v", chat)
	}
}

// TestStartMakesNoQueue: the slow start of a download does not keep chat waiting for
// longer than the rest of it does.
func TestStartMakesNoQueue(t *testing.T) {
	for _, rate := range []int64{slowLine, 10 * slowLine} {
		m := newSim(t, Defaults(), mapSize)
		c := m.client(2, m.line(rate, halfTrip), nil).join(0, 0)
		m.run(time.Minute)
		c.whole()
		if got := c.chat(1); got > mostQueue+5*time.Millisecond {
			t.Errorf("chat waits up to %v on a line of %d kB/s", got, rate/1000)
		}
	}
}

// TestStoppedReadersLeaveTheLine: players who stop reading hold up nobody on their
// line.
func TestStoppedReadersLeaveTheLine(t *testing.T) {
	for _, players := range []int{2, 3, 10} {
		t.Run(fmt.Sprint(players), func(t *testing.T) {
			m := newSim(t, Config{}, 32<<20)
			l := m.line(slowLine, halfTrip)
			for i := range players {
				m.client(uint8(2+i), l, func(c *simClient) {
					if i > 0 {
						c.sleepAt, c.sleepFor, c.recvSpace = 200_000, 20*time.Second, 64<<10
					}
				}).join(0, 0)
			}
			m.run(20 * time.Second)
			got := float64(m.clients[2].bytesBetween(10*time.Second, 20*time.Second)) / 10
			t.Logf("%.1f %% of the line", 100*got/slowLine)
			if got < 0.9*slowLine {
				t.Errorf("%.1f %% of the line", 100*got/slowLine)
			}
		})
	}
}

// TestLinesThatMeet: players of different addresses behind one narrow point, as
// that of a host at home, get no equal shares, but nobody starves, whoever comes
// first.
func TestLinesThatMeet(t *testing.T) {
	for _, players := range []int{2, 3, 6, 10} {
		for _, apart := range []time.Duration{0, 3 * time.Second} {
			t.Run(fmt.Sprintf("%d players, %v apart", players, apart), func(t *testing.T) {
				m := newSim(t, Config{}, 32<<20)
				l := m.line(slowLine, halfTrip)
				for i := range players {
					m.client(uint8(2+i), l, func(c *simClient) { c.addr = netip.AddrFrom4([4]byte{10, 0, 1, byte(i)}) }).join(time.Duration(i)*apart, 0)
				}
				begun := time.Duration(players)*apart + 2*time.Second
				m.run(begun + 20*time.Second)
				sum, least, most := 0, 1<<40, 0
				var chat time.Duration
				for _, c := range m.clients {
					n := c.bytesBetween(begun, begun+20*time.Second)
					sum, least, most = sum+n, min(least, n), max(most, n)
					chat = max(chat, c.chat(0.95))
				}
				t.Logf("%.1f %% of the line, the best has %.2f times what the worst has, chat waits %v", float64(sum)/20/slowLine*100,
					float64(most)/float64(least), chat)
				if most > 2*least || chat > 100*time.Millisecond {
					t.Errorf("shares from %d to %d bytes, chat waits %v", least, most, chat)
				}
			})
		}
	}
}

// TestTenOfAllKinds: ten players with lines and habits of their own; nobody
// starves, and what one does costs the others nothing.
func TestTenOfAllKinds(t *testing.T) {
	m := newSim(t, Defaults(), mapSize)
	own := func() *simLine { return m.line(slowLine, halfTrip) }
	half := uint32(mapSize / 2)
	good := []*simClient{
		m.client(2, own(), nil).join(0, 0),
		m.client(3, own(), func(c *simClient) { c.every = 8 }).join(0, 0),
		m.client(4, m.line(50_000_000, lanTrip), nil).join(0, 0),
		m.client(5, own(), nil).join(9*time.Second, 0),
		m.client(6, own(), nil).join(0, mapSize/2),
	}
	late := m.client(7, own(), func(c *simClient) { c.late = 500 * time.Millisecond }).join(0, 0)
	nak := m.client(8, own(), func(c *simClient) { c.nak = 0.01 }).join(0, 0)
	sleeper := m.client(9, own(), func(c *simClient) { c.sleepAt, c.sleepFor = half, 20*time.Second }).join(0, 0)
	leaver := m.client(10, own(), func(c *simClient) { c.leaveAt = half }).join(0, 0)
	dead := m.client(11, own(), func(c *simClient) { c.sleepAt, c.sleepFor = half, time.Hour }).join(0, 0)
	m.run(10 * time.Minute)
	for _, c := range append(good, late, nak, sleeper) {
		c.whole()
	}
	for _, c := range good {
		if share := c.speed() / float64(c.line.rate); share < 0.9 {
			t.Errorf("player %d got %.1f %% of their line", c.pid, share*100)
		}
	}
	if leaver.done != nil || dead.done != nil {
		t.Error("a player who left has the map")
	}
	if len(m.removed) != 1 || m.removed[11] != WhyStall {
		t.Errorf("no word about the dead one: %v", m.removed)
	}
	if m.s.Downloading() != 0 {
		t.Errorf("%d still download", m.s.Downloading())
	}
}

// TestRates: the limits hold within 2 %, are used up, and are shared alike.
func TestRates(t *testing.T) {
	for _, tc := range []struct {
		name    string
		cfg     Config
		players int
		lines   int64
		want    float64 // bytes per second, together
	}{
		{"total, one", Config{TotalRate: 100_000}, 1, 50_000_000, 100_000},
		{"total, ten", Config{TotalRate: 2_000_000}, 10, 50_000_000, 2_000_000},
		{"total, twelve on thin lines", Config{TotalRate: 6_000_000}, 12, slowLine, 6_000_000},
		{"player, three", Config{PlayerRate: 200_000}, 3, 50_000_000, 600_000},
		{"both", Config{PlayerRate: 200_000, TotalRate: 500_000}, 4, 50_000_000, 500_000},
		{"fast", Config{TotalRate: 20_000_000}, 3, 50_000_000, 20_000_000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newSim(t, tc.cfg, mapSize)
			for i := range tc.players {
				m.client(uint8(2+i), m.line(tc.lines, time.Millisecond+time.Duration(i)*5*time.Millisecond), nil).join(time.Duration(i)*100*time.Millisecond, 0)
			}
			from := time.Duration(tc.players)*100*time.Millisecond + 200*time.Millisecond
			to := from + time.Duration(min(10, 0.5*mapSize*float64(tc.players)/tc.want)*float64(time.Second))
			m.run(to + time.Second)
			sum, least, most := 0, 1<<40, 0
			for i := range tc.players {
				n := m.clients[uint8(2+i)].bytesBetween(from, to)
				sum, least, most = sum+n, min(least, n), max(most, n)
			}
			got := float64(sum) / (to - from).Seconds()
			t.Logf("%.0f bytes/s of %.0f; least %d, most %d", got, tc.want, least, most)
			if got > 1.02*tc.want || got < 0.98*tc.want {
				t.Errorf("%.0f bytes/s, want %.0f", got, tc.want)
			}
			if float64(most) > 1.1*float64(least) {
				t.Errorf("shares from %d to %d bytes", least, most)
			}
		})
	}
}

// TestLateTurnsSlowTransfers: while turns are late the parts stay away; when they
// are on time again, the speed comes back.
func TestLateTurnsSlowTransfers(t *testing.T) {
	m := newSim(t, Config{}, 64<<20)
	c := m.client(2, m.line(10_000_000, lanTrip), nil).join(0, 0)
	for i := range 20 {
		at := time.Second + time.Duration(i)*100*time.Millisecond
		m.at(at, func() {
			m.s.Late(m.now, 10*time.Millisecond)
			m.handle(m.tick)
		})
	}
	m.run(10 * time.Minute)
	c.whole()
	before := c.bytesBetween(0, time.Second)
	during := c.bytesBetween(2*time.Second, 3*time.Second)
	after := c.bytesBetween(7*time.Second, 8*time.Second)
	t.Logf("%d bytes/s before, %d late, %d after", before, during, after)
	if during > before/10 {
		t.Errorf("%d bytes/s while turns were late, %d before", during, before)
	}
	if after < before*9/10 {
		t.Errorf("%d bytes/s afterwards, %d before", after, before)
	}
}

// TestPlaces: with a bound on downloaders everybody gets the map, in order.
func TestPlaces(t *testing.T) {
	m := newSim(t, Config{MaxDownloaders: 3}, 1<<20)
	for pid := uint8(2); pid < 14; pid++ {
		m.client(pid, m.line(slowLine, halfTrip), func(c *simClient) {
			if pid == 5 {
				c.leaveAt = 1 << 19
			}
		}).join(time.Duration(pid)*time.Millisecond, 0)
	}
	m.run(10 * time.Minute)
	last := time.Duration(0)
	for pid := uint8(2); pid < 14; pid++ {
		if pid == 5 {
			continue
		}
		m.clients[pid].whole()
		if at := m.clients[pid].beganAt; at < last {
			t.Errorf("player %d before the one who came first", pid)
		} else {
			last = at
		}
	}
}
