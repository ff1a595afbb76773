package lan

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// A port that another program holds for itself costs the searches, not the
// announcements, and is taken when it becomes free. Both are logged once.
func TestBusyPort(t *testing.T) {
	port := testkit.FreePort(t)
	asked := netip.AddrPortFrom(loopback, port)
	holder, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(asked))
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t)
	log := &journalWriter{}
	a, err := Listen(Options{
		Broadcast: []netip.AddrPort{c.addr}, Ports: []uint16{port}, Bind: loopback,
		Product: w3gs.ProductTFT, Version: 20, retry: 5 * time.Millisecond, pause: 1, Log: zerolog.New(log),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Shutdown()
	open(t, a, 1)
	c.want("F7 31 10 00 50 58 33 57 14 00 00 00 01 00 00 00")
	from := c.want("F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
	c.send(from, searchAny) // asked where it announced from
	c.want(captured)

	holder.Close()
	found, err := search(context.Background(), asked, w3gs.SearchGame{Product: w3gs.ProductTFT, Version: 20},
		pace{tries: 500, retry: 10 * time.Millisecond, quiet: time.Millisecond})
	if err != nil || found[0].From != asked {
		t.Fatalf("got %v, %v", found, err)
	}
	if runtime.GOOS == "linux" { // others deliver broadcasts to the port itself, or not at all
		everybody := netip.AddrPortFrom(loopbackBroadcast, port)
		if found, err := Search(context.Background(), everybody, wantAny); err != nil || found[0].From != asked {
			t.Errorf("by broadcast: got %v, %v", found, err)
		}
	}
	if n := log.count("warn", "cannot listen for LAN searches on this UDP port"); n != 1 {
		t.Errorf("%d warnings, want 1", n)
	}
	if n := log.count("info", "listening for LAN searches again"); n != 1 {
		t.Errorf("%d times again, want 1", n)
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	if line := log.lines[0]; line["port"] != float64(port) || !strings.Contains(line["message"].(string), "lan.port") {
		t.Errorf("got %v", line)
	}
}

// A socket that dies is replaced, on the same port.
func TestSocketReplaced(t *testing.T) {
	log := &journalWriter{}
	a, addr := listen(t, func(o *Options) {
		o.retry = time.Millisecond
		o.Log = zerolog.New(log)
	})
	a.mu.Lock()
	p := a.ports[0]
	p.number = addr.Port()
	p.conn.Close()
	a.mu.Unlock()
	open(t, a, 1)
	found, err := search(context.Background(), addr, w3gs.SearchGame{Product: w3gs.ProductTFT, Version: 20},
		pace{tries: 500, retry: 10 * time.Millisecond, quiet: time.Millisecond})
	if err != nil || len(found) != 1 {
		t.Fatalf("got %v, %v", found, err)
	}
	if log.count("warn", "LAN socket failed") != 1 {
		t.Error("not logged")
	}
}

// An address that cannot be reached is logged when that begins and when it is
// over; the others get everything meanwhile.
func TestUnreachableAddress(t *testing.T) {
	c := newClient(t)
	log := &journalWriter{}
	a, _ := listen(t, func(o *Options) { o.Log = zerolog.New(log) })
	s := &sender{a: a, failed: map[netip.AddrPort]bool{}}
	a.opts.Broadcast = []netip.AddrPort{netip.AddrPortFrom(loopback, 0), c.addr} // nothing can be sent to port 0
	for range 3 {
		s.send(post{all: [][]byte{{1}, {2}}})
		c.want("01")
		c.want("02")
	}
	if n := log.count("warn", "cannot send LAN announcements"); n != 1 {
		t.Errorf("%d warnings, want 1", n)
	}
	s.note(netip.AddrPortFrom(loopback, 0), nil)
	if n := log.count("info", "can be sent again"); n != 1 {
		t.Errorf("%d times again, want 1", n)
	}
	s.note(c.addr, sendAll(nil, c.addr, nil, [][]byte{{1}}))
	if n := log.count("warn", "cannot send LAN announcements"); n != 2 {
		t.Errorf("without a socket: %d warnings, want 2", n)
	}
}

// A client of another version is told of once, and a check of broadcasts not at all.
func TestForeignVersionLogged(t *testing.T) {
	c := newClient(t)
	log := &journalWriter{}
	a, addr := listen(t, func(o *Options) { o.Log = zerolog.New(log) })
	open(t, a, 1)
	for range 3 {
		c.send(addr, "F7 2F 10 00 50 58 33 57 1C 00 00 00 00 00 00 00")
		c.send(addr, "F7 2F 10 00 50 58 33 57 1C 00 00 00 01 00 00 00")
		c.send(addr, "F7 2F 10 00 50 58 33 57 14 00 00 00 09 00 00 00") // only another lobby
		c.send(addr, "F7 2F 10 00 50 58 33 57 00 00 00 00 FF FF FF FF") // of w3host doctor
		c.send(addr, searchAny)
		c.want(captured)
	}
	if n := log.count("info", "another game version"); n != 1 {
		t.Errorf("%d lines, want 1", n)
	}
	for v := range byte(100) {
		search := unhex(t, searchAny)
		search[8] = 100 + v
		c.conn.WriteToUDPAddrPort(search, addr)
	}
	c.send(addr, searchAny)
	c.want(captured)
	if n := log.count("info", "another game version"); n > maxForeign {
		t.Errorf("%d lines, want %d at most", n, maxForeign)
	}
}

// Shutdown takes every lobby off the list and leaves no socket behind.
func TestShutdown(t *testing.T) {
	c := newClient(t)
	a, addr := listen(t, func(o *Options) { o.Ports = []uint16{testkit.FreePort(t)} }, c)
	open(t, a, 1, 2)
	for range 4 {
		c.receive()
	}
	a.Shutdown()
	c.want("F7 33 08 00 01 00 00 00")
	c.want("F7 33 08 00 02 00 00 00")
	if err := a.Open(capturedAdvert); !errors.Is(err, errStopped) {
		t.Errorf("got %v, want errStopped", err)
	}
	again, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(addr))
	if err != nil {
		t.Fatalf("the port is still held: %v", err)
	}
	again.Close()
}

// Everything at once, for the race detector.
func TestConcurrentUse(t *testing.T) {
	c := newClient(t)
	a, addr := listen(t, func(o *Options) { o.interval = time.Millisecond }, c)
	var callers sync.WaitGroup
	for id := range uint32(8) {
		callers.Go(func() {
			ad := capturedAdvert
			ad.GameID = id + 1
			for open := range 50 {
				if err := a.Open(ad); err != nil {
					t.Error(err)
				}
				a.Update(id+1, Count{Slots: 100, Open: open})
				c.conn.WriteToUDPAddrPort(unhex(t, searchAny), addr)
				a.Close(id + 1)
			}
		})
	}
	callers.Wait()
}
