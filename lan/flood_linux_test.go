package lan

import (
	"encoding/binary"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"w3host/internal/tier"
)

// quietRate and busyRate are in datagrams a second; floodLimit is how long an
// honest asker may wait meanwhile, where W3HOST_TEST_QUIET says that the machine
// is this test's. Elsewhere the host may get too little of a core to read 50,000
// datagrams a second, and the kernel drops those of honest askers too.
const (
	quietRate  = 50_000
	busyRate   = 10_000
	floodLimit = 100 * time.Millisecond
)

// Garbage, forged searches and oversized datagrams at 50,000 a second do not
// keep the host from answering eighteen honest askers, nor does it answer
// anybody more than once a second.
func TestFlood(t *testing.T) {
	tier.All(t, "floods in real time")
	length, rate := floodOf()
	a, addr := listen(t, func(o *Options) {
		o.Bind = netip.IPv4Unspecified()
		o.pause = answerPause
	})
	addr = netip.AddrPortFrom(loopback, addr.Port())
	open(t, a, 1)
	victim := newVictim(t, "127.0.2.1")
	var stop atomic.Bool
	var sent atomic.Int64
	var flooders, askers sync.WaitGroup
	flooders.Go(func() { flood(t, addr, localAddr(victim), unhex(t, searchAny), rate, &stop, &sent) })
	before, began := memory(), time.Now()
	var mu sync.Mutex
	var waits []time.Duration
	for i := range byte(18) {
		askers.Go(func() {
			for time.Since(began) < length {
				wait := askOnce(t, netip.AddrFrom4([4]byte{127, 0, 1, i + 1}), addr)
				mu.Lock()
				waits = append(waits, wait)
				mu.Unlock()
				time.Sleep(answerPause + time.Duration(i)*5*time.Millisecond - wait%answerPause)
			}
		})
	}
	askers.Wait()
	stop.Store(true)
	flooders.Wait()

	worst, late := time.Duration(0), 0
	for _, w := range waits {
		worst = max(worst, w)
		if w > floodLimit {
			late++
		}
	}
	grown := int64(memory() - before)
	got := drain(victim)
	t.Logf("%d datagrams a second, %d questions, worst wait %v, %d late; %d answers to one forged address in %v; heap grew by %d",
		int(float64(sent.Load())/time.Since(began).Seconds()), len(waits), worst, late, got, time.Since(began), grown)
	if os.Getenv("W3HOST_TEST_QUIET") != "" && late > 0 {
		t.Errorf("%d of %d answers took longer than %v", late, len(waits), floodLimit)
	}
	if worst >= unanswered {
		t.Error("an honest asker got no answer")
	}
	checkFlood(t, got, time.Since(began), grown)
}

// newVictim is an address in whose name others ask.
func newVictim(t *testing.T, addr string) *net.UDPConn {
	victim, err := bind(netip.MustParseAddr(addr), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = victim.Close() })
	return victim
}

// checkFlood: the victim got no more than an answer a second, and the heap did not grow.
func checkFlood(t *testing.T, got int, lasted time.Duration, grown int64) {
	t.Helper()
	if most := int(lasted/time.Second) + 2; got > most {
		t.Errorf("a forged address got %d answers in %v, want %d at most", got, lasted, most)
	}
	if grown > 4<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

// floodOf is how long a flood lasts, and how many datagrams a second it has.
func floodOf() (length time.Duration, rate int) {
	if os.Getenv("W3HOST_TEST_QUIET") != "" {
		return 10 * time.Second, quietRate
	}
	return 2 * time.Second, busyRate
}

// unanswered is what askOnce returns when nothing came in three tries.
const unanswered = time.Minute

// askOnce asks from an address and returns how long the answer took.
func askOnce(t *testing.T, from netip.Addr, to netip.AddrPort) time.Duration {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(from, 0)))
	if err != nil {
		t.Error(err)
		return unanswered
	}
	defer conn.Close()
	began := time.Now()
	for range 3 { // a busy machine may lose one
		conn.WriteToUDPAddrPort(unhex(t, searchFirst), to)
		conn.SetReadDeadline(time.Now().Add(answerPause))
		if _, _, err := conn.ReadFromUDPAddrPort(make([]byte, datagramSize)); err == nil {
			return time.Since(began)
		}
	}
	return unanswered
}

// flood sends from any address of 127.0.0.0/8: forged searches, a quarter of
// them in the name of one victim, garbage, and now and then an oversized one.
func flood(t *testing.T, to, victim netip.AddrPort, search []byte, rate int, stop *atomic.Bool, sent *atomic.Int64) {
	conn, err := bind(netip.IPv4Unspecified(), victim.Port())
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	control := make([]byte, destinationSize)
	head := (*syscall.Cmsghdr)(unsafe.Pointer(&control[0]))
	head.Level, head.Type = syscall.IPPROTO_IP, syscall.IP_PKTINFO
	head.SetLen(syscall.CmsgLen(syscall.SizeofInet4Pktinfo))
	info := (*syscall.Inet4Pktinfo)(unsafe.Pointer(&control[syscall.CmsgLen(0)]))

	garbage, huge := make([]byte, 60), make([]byte, 8000)
	began := time.Now()
	for i := 0; !stop.Load(); i++ {
		if ahead := time.Duration(i)*time.Second/time.Duration(rate) - time.Since(began); ahead > time.Millisecond {
			time.Sleep(ahead)
		}
		from := [4]byte{127}
		binary.BigEndian.PutUint16(from[1:], uint16(rand.Uint32())|0x8000)
		from[3] = byte(i)
		d := search
		switch {
		case i%100 == 0:
			d = huge
		case i%4 == 1:
			d = garbage
		case i%4 == 2:
			from = victim.Addr().As4()
		}
		info.Spec_dst = from
		if _, _, err := conn.WriteMsgUDPAddrPort(d, control, to); err == nil {
			sent.Add(1)
		}
	}
}

// drain counts what has come to a socket.
func drain(conn *net.UDPConn) (n int) {
	buf := make([]byte, datagramSize)
	for conn.SetReadDeadline(time.Now().Add(100*time.Millisecond)) == nil {
		if _, _, err := conn.ReadFromUDPAddrPort(buf); err != nil {
			break
		}
		n++
	}
	return n
}

func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
