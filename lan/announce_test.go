package lan

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"w3host/internal/heartbeat"
	"w3host/protocol/w3gs"
)

// journal notes every announcement with the time since it began.
type journal struct {
	mu    sync.Mutex
	begun time.Time
	lines []string
	hold  chan struct{} // when set, every send waits for it
}

func (j *journal) send(p post) {
	if j.hold != nil {
		<-j.hold
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for to, datagrams := range p.single {
		for _, d := range datagrams {
			j.lines = append(j.lines, fmt.Sprintf("%v to %v % X", time.Since(j.begun), to, d))
		}
	}
	for _, d := range p.local {
		j.lines = append(j.lines, fmt.Sprintf("%v locally % X, slots open, uptime and port % X", time.Since(j.begun), d[:12], d[len(d)-10:]))
	}
	for _, d := range slices.Concat(p.all, p.push) {
		if d[1] == byte(w3gs.OpGameInfo) {
			d = append(d[:2:2], d[len(d)-10:]...) // slots open, uptime and port
		}
		j.lines = append(j.lines, fmt.Sprintf("%v % X", time.Since(j.begun), d))
	}
}

func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := j.lines
	j.lines = nil
	return lines
}

// announcing runs an advertiser without sockets until the test is over.
func announcing(t *testing.T, opts Options, hold chan struct{}) (*Advertiser, *journal) {
	opts.Product, opts.Version, opts.GamePort = w3gs.ProductTFT, 26, 6112
	opts, err := opts.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	j := &journal{begun: time.Now(), hold: hold}
	a := newAdvertiser(opts)
	go a.announce(j.send)
	t.Cleanup(a.Shutdown)
	return a, j
}

func (j *journal) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	got := j.take()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", joinLines(got), joinLines(want))
	}
}

func joinLines(lines []string) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		fmt.Fprintln(&b, "\t", l)
	}
	return b.Bytes()
}

// One lobby from opening to start: 0x31 and 0x32 at once, 0x32 every 5 s and on
// each change, 0x33 at the end, and then silence.
func TestAnnounceLobby(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, j := announcing(t, Options{}, nil)
		time.Sleep(2 * time.Second)
		if err := a.Open(Advert{GameID: 1, Name: "a", Count: Count{Slots: 10, Open: 10}}); err != nil {
			t.Fatal(err)
		}
		j.want(t,
			"2s F7 31 10 00 50 58 33 57 1A 00 00 00 01 00 00 00",
			"2s F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
		time.Sleep(10 * time.Second)
		j.want(t,
			"7s F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00",
			"12s F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
		time.Sleep(time.Second)
		a.Update(1, Count{Slots: 10, Open: 7})
		j.want(t, "13s F7 32 10 00 01 00 00 00 03 00 00 00 0A 00 00 00")
		a.Update(1, Count{Slots: 10, Open: 7})
		j.want(t) // nothing new
		a.Update(1, Count{Slots: 10, Open: 11})
		j.want(t) // makes no sense
		a.Update(9, Count{Slots: 10, Open: 1})
		j.want(t) // not open
		time.Sleep(4 * time.Second)
		j.want(t, "17s F7 32 10 00 01 00 00 00 03 00 00 00 0A 00 00 00")
		a.Close(1)
		j.want(t, "17s F7 33 08 00 01 00 00 00")
		a.Close(1)
		a.Update(1, Count{Slots: 10, Open: 1})
		time.Sleep(time.Minute)
		j.want(t)
	})
}

func TestAnnounceSeveralLobbies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, j := announcing(t, Options{}, nil)
		for id := range uint32(2) {
			if err := a.Open(Advert{GameID: id + 1, Name: "a", Count: Count{Slots: 2, Open: 1}}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * time.Second)
		}
		time.Sleep(3 * time.Second) // 9 s
		j.want(t,
			"0s F7 31 10 00 50 58 33 57 1A 00 00 00 01 00 00 00",
			"0s F7 32 10 00 01 00 00 00 01 00 00 00 02 00 00 00",
			"3s F7 31 10 00 50 58 33 57 1A 00 00 00 02 00 00 00",
			"3s F7 32 10 00 02 00 00 00 01 00 00 00 02 00 00 00",
			"5s F7 32 10 00 01 00 00 00 01 00 00 00 02 00 00 00",
			"8s F7 32 10 00 02 00 00 00 01 00 00 00 02 00 00 00")
		a.Shutdown()
		j.want(t,
			"9s F7 33 08 00 01 00 00 00",
			"9s F7 33 08 00 02 00 00 00")
	})
}

// With BroadcastInfo every 0x32 is followed by the whole description, whose
// seconds count from the opening.
func TestAnnounceInfo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, j := announcing(t, Options{BroadcastInfo: true}, nil)
		if err := a.Open(Advert{GameID: 1, Name: "a", Count: Count{Slots: 2, Open: 2}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(6 * time.Second)
		a.Update(1, Count{Slots: 2, Open: 0})
		j.want(t,
			"0s F7 31 10 00 50 58 33 57 1A 00 00 00 01 00 00 00",
			"0s F7 32 10 00 01 00 00 00 01 00 00 00 02 00 00 00",
			"0s F7 30 02 00 00 00 00 00 00 00 E0 17",
			"5s F7 32 10 00 01 00 00 00 01 00 00 00 02 00 00 00",
			"5s F7 30 02 00 00 00 05 00 00 00 E0 17",
			"6s F7 32 10 00 01 00 00 00 02 00 00 00 02 00 00 00",
			"6s F7 30 01 00 00 00 06 00 00 00 E0 17")
	})
}

// A socket that blocks holds up nobody, and what piled up meanwhile goes out as
// one datagram with the last state.
func TestCallersNeverWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		a, j := announcing(t, Options{}, hold)
		for id := range uint32(3) {
			if err := a.Open(Advert{GameID: id + 1, Name: "a", Count: Count{Slots: 12, Open: 12}}); err != nil {
				t.Fatal(err)
			}
		}
		for open := 11; open > 0; open-- {
			a.Update(1, Count{Slots: 12, Open: open})
		}
		a.Close(2) // nobody has heard of it
		if time.Since(j.begun) != 0 {
			t.Error("a caller waited")
		}
		synctest.Wait()
		time.Sleep(time.Second)
		close(hold)
		j.want(t,
			"1s F7 31 10 00 50 58 33 57 1A 00 00 00 01 00 00 00",
			"1s F7 32 10 00 01 00 00 00 0B 00 00 00 0C 00 00 00",
			"1s F7 31 10 00 50 58 33 57 1A 00 00 00 03 00 00 00",
			"1s F7 32 10 00 03 00 00 00 01 00 00 00 0C 00 00 00")
	})
}

// A change is told once, however often the board is looked at.
func TestChangeToldOnce(t *testing.T) {
	opts, err := Options{Product: w3gs.ProductTFT, GamePort: 1}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	b := board{opts: &opts}
	now := time.Unix(100, 0)
	if err := b.open(now, Advert{GameID: 1, Name: "a", Count: Count{Slots: 2, Open: 2}}); err != nil {
		t.Fatal(err)
	}
	b.due(now)
	b.update(1, Count{Slots: 2, Open: 1})
	b.lobbies[0].show = true
	for _, want := range []int{2, 0} {
		if p, _ := b.due(now); len(p.all) != want {
			t.Errorf("%d datagrams, want %d", len(p.all), want)
		}
	}
}

// A machine that was suspended for a minute refreshes once, and keeps its beat.
func TestRefreshAfterSleep(t *testing.T) {
	opts, err := Options{Product: w3gs.ProductTFT, GamePort: 1}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	b := board{opts: &opts}
	opened := time.Unix(100, 0)
	if err := b.open(opened, Advert{GameID: 1, Name: "a", Count: Count{Slots: 1}}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		at, next time.Duration
		sent     int
	}{
		{0, 5 * time.Second, 2},
		{4999 * time.Millisecond, 5 * time.Second, 0},
		{5 * time.Second, 10 * time.Second, 1},
		{71 * time.Second, 75 * time.Second, 1},
		{75 * time.Second, 80 * time.Second, 1},
	} {
		p, next := b.due(opened.Add(tt.at))
		if len(p.all) != tt.sent || next.Sub(opened) != tt.next {
			t.Errorf("at %v: %d datagrams and next at %v, want %d and %v", tt.at, len(p.all), next.Sub(opened), tt.sent, tt.next)
		}
	}
}

// A lobby that is hidden for a while is announced again when it is not, though nothing else has changed.
func TestHidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, j := announcing(t, Options{}, nil)
		var hidden atomic.Bool
		hidden.Store(true)
		ad := capturedAdvert
		ad.GameID, ad.Hidden = 2, hidden.Load
		advertise(t, a, ad)
		time.Sleep(12 * time.Second)
		j.want(t)
		hidden.Store(false)
		time.Sleep(3 * time.Second)
		j.want(t, "15s F7 31 10 00 50 58 33 57 1A 00 00 00 02 00 00 00", "15s F7 32 10 00 02 00 00 00 01 00 00 00 0A 00 00 00")
		hidden.Store(true)
		time.Sleep(10 * time.Second)
		j.want(t)
		hidden.Store(false)
		time.Sleep(5 * time.Second)
		j.want(t, "30s F7 32 10 00 02 00 00 00 01 00 00 00 0A 00 00 00")
	})
}

// One more address is sent a lobby's 0x31 and 0x32 at once, then what all are sent, and
// its 0x33; of other lobbies it learns nothing.
func TestShowTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, j := announcing(t, Options{}, nil)
		for id := range uint32(2) {
			if err := a.Open(Advert{GameID: id + 1, Name: "a", Count: Count{Slots: 2, Open: 2}}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		j.take()
		friend := netip.MustParseAddrPort("10.8.0.5:6112")
		for range 2 { // told once
			if err := a.ShowTo(2, friend); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		j.want(t,
			"0s to 10.8.0.5:6112 F7 31 10 00 50 58 33 57 1A 00 00 00 02 00 00 00",
			"0s to 10.8.0.5:6112 F7 32 10 00 02 00 00 00 01 00 00 00 02 00 00 00")
		a.Update(1, Count{Slots: 2, Open: 1})
		j.want(t, "0s F7 32 10 00 01 00 00 00 01 00 00 00 02 00 00 00")
		a.Close(2)
		j.want(t, "0s to 10.8.0.5:6112 F7 33 08 00 02 00 00 00", "0s F7 33 08 00 02 00 00 00")
		if err := a.ShowTo(2, friend); !errors.Is(err, ErrNotListed) {
			t.Error(err)
		}
		for i := range maxExtra {
			_ = a.ShowTo(1, netip.AddrPortFrom(friend.Addr(), uint16(i+1)))
		}
		if err := a.ShowTo(1, friend); !errors.Is(err, errExtra) {
			t.Error(err)
		}
		synctest.Wait()
		j.take()
	})
}

// Clients of 1.30 and later listen to multicast alone.
func TestShowToNobody(t *testing.T) {
	b := board{opts: &Options{Versions: []uint32{36}}}
	if err := b.open(time.Unix(100, 0), Advert{GameID: 1, Port: 1, Name: "a", Count: Count{Slots: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := b.showTo(1, netip.AddrPort{}); !errors.Is(err, ErrMulticast) {
		t.Error(err)
	}
}

func TestStoppedAdvertiser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, j := announcing(t, Options{}, nil)
		a.Shutdown()
		a.Shutdown()
		if err := a.Open(Advert{GameID: 1, Name: "a", Count: Count{Slots: 1}}); err != errStopped {
			t.Errorf("got %v, want errStopped", err)
		}
		a.Update(1, Count{Slots: 1})
		a.Close(1)
		j.want(t)
	})
}

// TestHeart: regular announcements go out with the beat next to the time when they are due.
func TestHeart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heart heartbeat.Heart
		a, j := announcing(t, Options{Heart: &heart}, nil)
		if err := a.Open(Advert{GameID: 1, Name: "a", Count: Count{Slots: 2, Open: 2}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		j.take()
		var at []time.Duration // of announcements, one a line
		for range 20 {
			time.Sleep(1200 * time.Millisecond)
			heart.Beat(time.Now())
			synctest.Wait()
			for range j.take() {
				at = append(at, time.Since(j.begun))
			}
		}
		if want := "[4.8s 9.6s 14.4s 20.4s]"; fmt.Sprint(at) != want {
			t.Errorf("announced at %v, want %s", at, want)
		}
	})
}
