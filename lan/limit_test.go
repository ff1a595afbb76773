package lan

import (
	"encoding/binary"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

// rig is a limiter with a clock of its own.
type limitRig struct {
	*limiter
	now time.Time
}

func newLimitRig(targets ...netip.AddrPort) *limitRig {
	r := &limitRig{limiter: newLimiter(answerPause, targets), now: time.Now()}
	r.interfaces.readAt = r.now.Add(time.Hour) // the networks of the test, not of this machine
	r.interfaces.prefixes = []netip.Prefix{netip.MustParsePrefix("192.168.1.5/24"), netip.MustParsePrefix("10.1.0.5/16")}
	return r
}

func (r *limitRig) ask(from netip.Addr, gameID uint32) bool {
	r.interfaces.readAt = r.now
	return r.grant(r.now, from, r.interfaces.kind(r.now, from), gameID)
}

func address(n uint32) netip.Addr {
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, n)))
}

func TestLimitOneAsker(t *testing.T) {
	r := newLimitRig()
	a, b := netip.MustParseAddr("192.168.1.10"), netip.MustParseAddr("192.168.1.11")
	for i, tt := range []struct {
		after time.Duration
		from  netip.Addr
		id    uint32
		want  bool
	}{
		{0, a, 1, true},
		{0, a, 1, false},
		{0, a, 2, true}, // another lobby
		{0, b, 1, true}, // another asker
		{800 * time.Millisecond, a, 1, false},
		{150 * time.Millisecond, a, 1, true},  // 0.95 s: a little early is well
		{950 * time.Millisecond, a, 1, true},  // 1.9 s
		{850 * time.Millisecond, a, 1, false}, // 2.75 s: but not time after time
		{time.Hour, a, 1, true},
		{-time.Minute, a, 1, false}, // a clock set back gives nothing
	} {
		r.now = r.now.Add(tt.after)
		if got := r.ask(tt.from, tt.id); got != tt.want {
			t.Errorf("%d: %v asks for %d after %v: got %v", i, tt.from, tt.id, tt.after, got)
		}
	}
}

// Over time an asker gets one answer a second, however often they ask.
func TestLimitGreedyAsker(t *testing.T) {
	r := newLimitRig()
	answers := 0
	for range 10_000 {
		if r.ask(netip.MustParseAddr("127.0.0.9"), 1) {
			answers++
		}
		r.now = r.now.Add(time.Millisecond)
	}
	if answers != 11 { // at 0, 0.9, 1.9 ... 9.9 s
		t.Errorf("%d answers in 10 s", answers)
	}
}

// Forged searches from everywhere, 50,000 a second, leave the askers of other
// kinds alone: this machine, the network, who asked before, the targets.
func TestLimitForgedSources(t *testing.T) {
	target := netip.MustParseAddrPort("172.16.0.9:6112")
	r := newLimitRig(target)
	regular := netip.MustParseAddr("172.16.5.5")
	if !r.ask(regular, 1) {
		t.Fatal("no answer in calm times")
	}
	r.now = r.now.Add(2 * time.Second)
	forged, at := 0, uint32(0x20000000)
	for i := range 50_000 * 3 {
		at += 0x9E3779B1
		if from := address(at); !from.IsLoopback() && r.ask(from, 1) {
			forged++
		}
		r.now = r.now.Add(20 * time.Microsecond)
		if i%50_000 != 49_999 {
			continue
		}
		honest := []netip.Addr{regular, target.Addr()}
		for j := range uint32(18) {
			honest = append(honest, address(0x7F000101+j), address(0xC0A8010A+j))
		}
		for _, from := range honest {
			if !r.ask(from, 1) {
				t.Errorf("after %d forged searches %v gets no answer", i+1, from)
			}
		}
	}
	// The shares of networks attached and beyond, and known, for three seconds.
	if most := 2*(4096+3*2048) + 8192; forged > most {
		t.Errorf("%d forged searches were answered, want %d at most", forged, most)
	}
}

// Somebody who forges the addresses of one network beyond the router does not
// use up the share of all.
func TestLimitOneNetwork(t *testing.T) {
	r := newLimitRig()
	granted := 0
	for i := range uint32(200) {
		if r.ask(address(0x08080800+i), 1) {
			granted++
		}
	}
	if granted != networkRate {
		t.Errorf("one network got %d answers in an instant, want %d", granted, networkRate)
	}
	if !r.ask(netip.MustParseAddr("9.9.9.9"), 1) {
		t.Error("another network gets none")
	}
}

// The memory is what it was at the start, whoever asks.
func TestLimitMemory(t *testing.T) {
	r := newLimitRig()
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range uint32(1_000_000) {
		from := address(i * 0x9E3779B1)
		r.ask(from, i%7)
		r.allowSearch(r.now, from, beyond)
		r.now = r.now.Add(20 * time.Microsecond)
	}
	if len(r.known) > maxKnown {
		t.Errorf("%d askers are known, want %d at most", len(r.known), maxKnown)
	}
	if grown := int64(heap() - before); grown > 1<<20 {
		t.Errorf("a million askers cost %d bytes", grown)
	}
	runtime.KeepAlive(r)
}

// Known askers make room for others when they have been silent for long.
func TestLimitForgetsTheKnown(t *testing.T) {
	r := newLimitRig()
	for i := range uint32(maxKnown) {
		r.known[address(i)] = 0
	}
	r.now = r.now.Add(forgetKnown + time.Minute)
	newcomer := netip.MustParseAddr("8.8.8.8")
	r.ask(newcomer, 1)
	if _, ok := r.known[newcomer]; !ok || len(r.known) != maxKnown {
		t.Errorf("the newcomer is known: %v; %d are", ok, len(r.known))
	}
}

func BenchmarkLimit(b *testing.B) {
	r := newLimitRig()
	at := uint32(0)
	for b.Loop() {
		at += 0x9E3779B1
		r.ask(address(at), 1)
	}
}
