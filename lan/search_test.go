package lan

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"w3host/protocol/w3gs"
)

var (
	wantAny   = w3gs.SearchGame{Product: w3gs.ProductTFT, Version: 20}
	quickPace = pace{tries: 3, retry: 20 * time.Millisecond, quiet: 10 * time.Millisecond} // where no answer is wanted, or it is asked again
)

func TestSearch(t *testing.T) {
	a, addr := listen(t, nil)
	open(t, a, 1, 2)
	began := time.Now()
	found, err := Search(context.Background(), addr, wantAny)
	took := time.Since(began)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || found[0].Info.GameID != 1 || found[1].Info.GameID != 2 {
		t.Fatalf("got %+v", found)
	}
	f := found[0]
	if f.From != addr || f.RTT <= 0 || f.RTT > took {
		t.Errorf("got from %v in %v", f.From, f.RTT)
	}
	if f.JoinAddr() != netip.MustParseAddrPort("127.0.0.1:6112") {
		t.Errorf("got join address %v", f.JoinAddr())
	}
	if f.Info.Name != capturedAdvert.Name || f.Info.EntryKey != 0x00C26939 || f.Info.Stat != capturedAdvert.Stat {
		t.Errorf("got %+v", f.Info)
	}

	want := wantAny
	want.GameID = 2
	found, err = Search(context.Background(), addr, want)
	if err != nil || len(found) != 1 || found[0].Info.GameID != 2 {
		t.Errorf("by id: got %+v, %v", found, err)
	}
}

// The bytes of the question are those that clients send. A lost question is
// asked again; rubbish, other games and the same answer twice are passed over.
func TestSearchRepeats(t *testing.T) {
	host := newClient(t)
	got := make(chan []Found, 1)
	go func() { // ends with the search
		found, err := search(context.Background(), host.addr, wantAny,
			pace{tries: 100, retry: 20 * time.Millisecond, quiet: time.Second})
		if err != nil {
			t.Error(err)
		}
		got <- found
	}()
	host.want(searchAny)
	from := host.want(searchAny)
	host.send(from, "05 00 00 00 74 65 6E 62")
	host.send(from, "F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
	host.send(from, strings.Replace(captured, "57 14", "57 15", 1)) // 1.21
	host.send(from, captured)
	host.send(from, captured)
	host.send(from, capturedAs("02"))
	found := <-got
	if len(found) != 2 || found[0].Info.GameID != 1 || found[1].Info.GameID != 2 || found[0].Info.Version != 20 {
		t.Errorf("got %+v", found)
	}
}

func TestSearchById(t *testing.T) {
	host := newClient(t)
	go func() { // ends with the answers
		_, from := host.receive()
		host.send(from, captured)
		host.send(from, capturedAs("02"))
	}()
	want := wantAny
	want.GameID = 2
	found, err := Search(context.Background(), host.addr, want)
	if err != nil || len(found) != 1 || found[0].Info.GameID != 2 {
		t.Errorf("got %+v, %v", found, err)
	}
}

func TestSearchBroadcast(t *testing.T) {
	a, addr := listen(t, func(o *Options) { o.Bind = netip.IPv4Unspecified() })
	open(t, a, 1)
	to := netip.AddrPortFrom(netip.MustParseAddr("127.255.255.255"), addr.Port())
	found, err := Search(context.Background(), to, wantAny)
	if err != nil {
		if !errors.Is(err, ErrNoAnswer) {
			t.Skipf("the loopback interface of this system does not broadcast: %v", err)
		}
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].From.Port() != addr.Port() || !found[0].From.Addr().IsLoopback() {
		t.Errorf("got %+v", found)
	}
}

func TestSearchNoAnswer(t *testing.T) {
	_, addr := listen(t, nil) // no lobby is open
	closed := newClient(t)
	closed.conn.Close()
	for _, to := range []netip.AddrPort{addr, closed.addr} {
		found, err := search(context.Background(), to, wantAny, quickPace)
		if !errors.Is(err, ErrNoAnswer) || found != nil || !strings.Contains(err.Error(), to.String()) {
			t.Errorf("%v: got %v, %v", to, found, err)
		}
	}
}

func TestSearchCancelled(t *testing.T) {
	silent := newClient(t)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // ends with the first question
		silent.receive()
		cancel()
	}()
	_, err := search(ctx, silent.addr, wantAny, pace{tries: 1, retry: time.Hour})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := Search(ctx, silent.addr, wantAny); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: got %v", err)
	}
}

// An answer that is looked at after the next question belongs to the question before it.
func TestSearchLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, asked, in := time.Now(), 0, make(chan message)
		found, err := collect(t.Context(), wantAny, pace{tries: 2, retry: 20 * time.Millisecond, quiet: 10 * time.Millisecond}, in, func() error {
			if asked++; asked == 2 {
				info := w3gs.GameInfo{Product: wantAny.Product, Version: wantAny.Version}
				go func() { in <- message{packet: &info, at: began.Add(15 * time.Millisecond)} }() // ends when it is taken
			}
			return nil
		})
		if err != nil || len(found) != 1 || found[0].RTT != 15*time.Millisecond {
			t.Errorf("got %+v, %v", found, err)
		}
	})
}
