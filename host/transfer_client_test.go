package host_test

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"
	"time"

	"w3host/internal/simnet"
	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// fetcher is a client whose download the test follows part by part. It is used
// from one goroutine.
type fetcher struct {
	*testkit.Client
	t     testing.TB
	name  string
	check w3gs.MapCheck
	from  uint8 // who sends the map

	file     bytes.Buffer
	began    int       // 0x3F
	asked    time.Time // 0x42 went out
	done     time.Time // the last part came
	arrivals []arrived
	lines    []heardLine
	tables   []slotsSeen
	last     w3gs.Op // came last
	closed   bool
}

type arrived struct {
	at    time.Time
	bytes int
}

type heardLine struct {
	at   time.Time
	text string
}

type slotsSeen struct {
	at      time.Time
	percent uint8 // the fetcher's own
}

func (r *transferRig) fetcher(t testing.TB, name string) *fetcher {
	t.Helper()
	if r.net != nil {
		return r.fetcherFrom(t, simnet.Line{Delay: 20 * time.Millisecond}, simnet.Line{Delay: 20 * time.Millisecond}, name)
	}
	return r.fetcherAt(t, r.host.Addr().String(), name)
}

// fetcherFrom joins the lobby over a line in memory.
func (r *transferRig) fetcherFrom(t testing.TB, up, down simnet.Line, name string) *fetcher {
	t.Helper()
	c, err := r.net.Dial(netip.MustParseAddr("10.0.0.5"), r.host.Addr(), up, down)
	if err != nil {
		t.Fatal(err)
	}
	return r.fetcherOn(t, testkit.NewClient(t, c), name)
}

// fetcherAt joins the lobby at an address, which may be a relay's.
func (r *transferRig) fetcherAt(t testing.TB, addr, name string) *fetcher {
	t.Helper()
	return r.fetcherOn(t, testkit.Dial(t, netip.MustParseAddrPort(addr)), name)
}

// fetcherOn joins the lobby over a connection.
func (r *transferRig) fetcherOn(t testing.TB, c *testkit.Client, name string) *fetcher {
	t.Helper()
	f := &fetcher{Client: c, t: t, name: name}
	var err error
	f.check, err = f.Join(r.game.ID(), r.game.EntryKey(), name)
	f.must(err)
	return f
}

// haveAll joins with the whole map.
func (f *fetcher) haveAll() *fetcher {
	f.t.Helper()
	f.must(f.HaveMap(f.check))
	return f
}

// have reports so many bytes of the map.
func (f *fetcher) have(n int) *fetcher {
	f.t.Helper()
	f.asked = time.Now()
	f.must(f.Tell(&w3gs.MapSize{Flag: w3gs.MapHave, Size: uint32(n)}))
	return f
}

func (f *fetcher) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatalf("%s: %v", f.name, err)
	}
}

// hear handles packets until enough is true. It fails after the time.
func (f *fetcher) hear(within time.Duration, enough func() bool) {
	f.t.Helper()
	for deadline := time.Now().Add(within); !enough(); {
		frame, err := f.Take(time.Until(deadline))
		if err != nil {
			f.t.Fatalf("%s, %d bytes of the map: %v", f.name, f.file.Len(), err)
		}
		f.handle(frame)
	}
}

// idle handles what comes for a while; the end of the connection is fine.
func (f *fetcher) idle(lasting time.Duration) {
	f.t.Helper()
	for deadline := time.Now().Add(lasting); !f.closed; {
		frame, err := f.Take(time.Until(deadline))
		if err != nil {
			f.closed = !strings.Contains(err.Error(), "timeout")
			return
		}
		f.handle(frame)
	}
}

// fetch takes the map to its end.
func (f *fetcher) fetch(within time.Duration) {
	f.t.Helper()
	f.hear(within, func() bool { return !f.done.IsZero() })
}

func (f *fetcher) heard(words string) bool {
	for _, l := range f.lines {
		if strings.Contains(l.text, words) {
			return true
		}
	}
	return false
}

func (f *fetcher) handle(frame w3gs.Frame) {
	f.t.Helper()
	now := time.Now()
	f.last = frame.Op()
	switch f.last {
	case w3gs.OpStartDownload:
		f.began++
	case w3gs.OpMapPart:
		f.part(now, frame)
	case w3gs.OpChatFromHost:
		var q w3gs.ChatFromHost
		f.must(q.Decode(frame.Body()))
		f.lines = append(f.lines, heardLine{now, q.Text})
	case w3gs.OpSlotInfo:
		var q w3gs.SlotInfo
		f.must(q.Decode(frame.Body()))
		for _, s := range q.Slots {
			if s.PID == f.PID {
				f.tables = append(f.tables, slotsSeen{now, s.Download})
			}
		}
	}
}

func (f *fetcher) part(now time.Time, frame w3gs.Frame) {
	f.t.Helper()
	var q w3gs.MapPart
	f.must(q.Decode(frame.Body()))
	f.from = q.From
	if f.began != 1 || q.To != f.PID || int(q.Offset) != f.file.Len() || !q.Intact() {
		f.t.Fatalf("%s: part for %d at %d, intact %v, after %d bytes and %d times 0x3F", f.name, q.To, q.Offset, q.Intact(), f.file.Len(), f.began)
	}
	f.file.Write(q.Data)
	f.arrivals = append(f.arrivals, arrived{now, len(q.Data)})
	if f.file.Len() == int(f.check.Size) {
		f.done = now
	}
	f.ack(f.file.Len())
}

// ack acknowledges so many bytes with 0x44.
func (f *fetcher) ack(held int) {
	f.t.Helper()
	f.must(f.Tell(&w3gs.MapPartOK{To: f.from, From: f.PID, Size: uint32(held)}))
}

// rate is bytes of the map per second between two times.
func (f *fetcher) rate(from, to time.Time) float64 { return rate(f.arrivals, from, to) }

func rate(arrivals []arrived, from, to time.Time) float64 {
	n := 0
	for _, a := range arrivals {
		if !a.at.Before(from) && a.at.Before(to) {
			n += a.bytes
		}
	}
	return float64(n) / to.Sub(from).Seconds()
}
