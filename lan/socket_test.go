package lan

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/w3gs"
)

// These tests use real sockets, on loopback addresses only. Bytes are written
// and expected as the protocol reference and the published captures give them.

const (
	searchAny   = "F7 2F 10 00 50 58 33 57 14 00 00 00 00 00 00 00"
	searchFirst = "F7 2F 10 00 50 58 33 57 14 00 00 00 01 00 00 00"
)

var loopback = netip.MustParseAddr("127.0.0.1")

// client is a UDP socket of a pretended client.
type client struct {
	t    *testing.T
	conn *net.UDPConn
	addr netip.AddrPort
}

func newClient(t *testing.T) *client {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: loopback.AsSlice()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &client{t: t, conn: conn, addr: localAddr(conn)}
}

func (c *client) send(to netip.AddrPort, hex string) {
	c.t.Helper()
	if _, err := c.conn.WriteToUDPAddrPort(unhex(c.t, hex), to); err != nil {
		c.t.Fatal(err)
	}
}

// want reads one datagram; the seconds of a 0x30, the only long one, do not count.
func (c *client) want(hex string) (from netip.AddrPort) {
	c.t.Helper()
	want := unhex(c.t, hex)
	got, from := c.receive()
	if len(got) == len(want) && len(want) > 100 {
		at := len(got) - 6
		copy(got[at:at+4], want[at:])
	}
	if !bytes.Equal(got, want) {
		c.t.Fatalf("got  % X\nwant % X", got, want)
	}
	return from
}

func (c *client) receive() ([]byte, netip.AddrPort) {
	c.t.Helper()
	buf := make([]byte, 2048)
	c.conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	n, from, err := c.conn.ReadFromUDPAddrPort(buf)
	if err != nil {
		c.t.Fatal(err)
	}
	return buf[:n], netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
}

// journalWriter keeps log lines.
type journalWriter struct {
	mu    sync.Mutex
	lines []map[string]any
}

func (w *journalWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var line map[string]any
	if err := json.Unmarshal(p, &line); err != nil {
		return 0, err
	}
	w.lines = append(w.lines, line)
	return len(p), nil
}

func (w *journalWriter) count(level, part string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.lines {
		if line["level"] == level && strings.Contains(line["message"].(string), part) {
			n++
		}
	}
	return n
}

// listen starts an advertiser of the captured game's version on a free
// loopback port, which announces to the given clients.
func listen(t *testing.T, change func(*Options), to ...*client) (*Advertiser, netip.AddrPort) {
	t.Helper()
	opts := Options{
		Broadcast: []netip.AddrPort{},
		Ports:     []uint16{0},
		Bind:      loopback,
		Product:   w3gs.ProductTFT,
		Version:   20,
		Log:       zerolog.Nop(),
		Interval:  time.Hour,
	}
	for _, c := range to {
		opts.Broadcast = append(opts.Broadcast, c.addr)
	}
	if change != nil {
		change(&opts)
	}
	a, err := Listen(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Shutdown)
	return a, a.Addrs()[0]
}

func open(t *testing.T, a *Advertiser, ids ...uint32) {
	t.Helper()
	for _, id := range ids {
		ad := capturedAdvert
		ad.GameID = id
		if err := a.Open(ad); err != nil {
			t.Fatal(err)
		}
	}
}

// capturedAs is the captured 0x30 with another game id.
func capturedAs(id string) string {
	return strings.Replace(captured, "14 00 00 00 01", "14 00 00 00 "+id, 1)
}

func TestLobbyOnTheWire(t *testing.T) {
	c := newClient(t)
	target := newClient(t) // beyond the router, listed by address
	a, addr := listen(t, func(o *Options) { o.Targets = []netip.AddrPort{target.addr} }, c)
	both := func(hex string) {
		t.Helper()
		if from := c.want(hex); from != addr {
			t.Errorf("came from %v, want the port where searches are awaited, %v", from, addr)
		}
		target.want(hex)
	}
	open(t, a, 1)
	both("F7 31 10 00 50 58 33 57 14 00 00 00 01 00 00 00")
	both("F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
	a.Update(1, Count{Slots: 10, Open: 6})
	both("F7 32 10 00 01 00 00 00 04 00 00 00 0A 00 00 00")
	a.Close(1)
	both("F7 33 08 00 01 00 00 00")
}

// 0x32 comes again and again while the lobby is open.
func TestRefreshOnTheWire(t *testing.T) {
	c := newClient(t)
	a, _ := listen(t, func(o *Options) { o.Interval = 10 * time.Millisecond }, c)
	open(t, a, 1)
	c.want("F7 31 10 00 50 58 33 57 14 00 00 00 01 00 00 00")
	for range 5 {
		c.want("F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
	}
}

// A search is answered from where it was sent to, to where it came from.
func TestAnswer(t *testing.T) {
	c := newClient(t)
	a, addr := listen(t, nil)
	open(t, a, 1)
	for _, search := range []string{searchAny, searchFirst} {
		c.send(addr, search)
		if from := c.want(captured); from != addr {
			t.Errorf("answered from %v, want %v", from, addr)
		}
	}
}

// What is not a search for this game gets no answer. Each is followed by a
// good search, so that the only answer is the one to that.
func TestNoAnswer(t *testing.T) {
	for name, give := range map[string]string{
		"another id":      "F7 2F 10 00 50 58 33 57 14 00 00 00 02 00 00 00",
		"another version": "F7 2F 10 00 50 58 33 57 15 00 00 00 00 00 00 00",
		"another product": "F7 2F 10 00 33 52 41 57 14 00 00 00 00 00 00 00",
		"cut short":       "F7 2F 10 00 50 58 33 57 14 00 00 00 00 00 00",
		"short":           "F7 2F 0C 00 50 58 33 57 14 00 00 00",
		"too long":        "F7 2F 11 00 50 58 33 57 14 00 00 00 00 00 00 00 00",
		"trailing":        "F7 2F 10 00 50 58 33 57 14 00 00 00 00 00 00 00 00",
		"a realm's probe": "05 00 00 00 74 65 6E 62",
		"empty":           "",
		"one byte":        "F7",
		"another host":    "F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00",
		"a join":          "F7 1E 04 00",
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t)
			a, addr := listen(t, nil)
			open(t, a, 1)
			c.send(addr, give)
			c.send(addr, searchFirst)
			c.want(captured)
			c.send(addr, give)
			c.send(addr, searchFirst)
			c.want(captured)
			a.Shutdown() // so that everything is counted
			if s := a.Stats(); s.Answers != 2 || s.Searches+s.Malformed+s.Other != 4 {
				t.Errorf("got %+v", s)
			}
		})
	}
}

func TestAnswerSeveralLobbies(t *testing.T) {
	c := newClient(t)
	a, addr := listen(t, nil)
	open(t, a, 1, 2, 3)
	a.Close(2)
	c.send(addr, searchAny)
	c.want(captured)
	c.want(capturedAs("03"))
	c.send(addr, "F7 2F 10 00 50 58 33 57 14 00 00 00 02 00 00 00")
	c.send(addr, "F7 2F 10 00 50 58 33 57 14 00 00 00 03 00 00 00")
	c.want(capturedAs("03"))
}

// Searches are heard on each port: 6112 for broadcasts, and the number of the
// TCP port for who knows the host's address.
func TestAnswerOnEachPort(t *testing.T) {
	c := newClient(t)
	a, _ := listen(t, func(o *Options) { o.Ports = []uint16{0, 0, 0} })
	open(t, a, 1)
	addrs := a.Addrs()
	if len(addrs) != 3 {
		t.Fatalf("got %v", addrs)
	}
	for _, addr := range addrs {
		c.send(addr, searchAny)
		if from := c.want(captured); from != addr {
			t.Errorf("asked at %v, answered from %v", addr, from)
		}
	}
}

func TestBroadcastOnTheWire(t *testing.T) {
	conn, err := net.ListenUDP("udp4", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, conn: conn, addr: localAddr(conn)}
	defer conn.Close()
	everybody := netip.AddrPortFrom(netip.MustParseAddr("127.255.255.255"), c.addr.Port())
	if _, err := conn.WriteToUDPAddrPort([]byte("here?"), everybody); err != nil {
		t.Skipf("the loopback interface of this system does not broadcast: %v", err)
	}
	c.receive()
	a, _ := listen(t, func(o *Options) { o.Broadcast = []netip.AddrPort{everybody} })
	open(t, a, 1)
	c.want("F7 31 10 00 50 58 33 57 14 00 00 00 01 00 00 00")
}

// A client on the same machine holds the same port. An answer to it may come
// back to the host's own socket; the broadcast reaches it.
func TestSharedPort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("which of two sockets gets a datagram differs between systems")
	}
	conn, err := bind(netip.IPv4Unspecified(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	port := localAddr(conn).Port()
	c := &client{t: t, conn: conn}
	a, _ := listen(t, func(o *Options) {
		o.Bind = netip.IPv4Unspecified()
		o.Ports = []uint16{port}
		o.Broadcast = []netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr("127.255.255.255"), port)}
	})
	if got := a.Addrs(); len(got) != 1 || got[0].Port() != port {
		t.Fatalf("listening at %v, want port %d", got, port)
	}
	open(t, a, 1)
	c.want("F7 31 10 00 50 58 33 57 14 00 00 00 01 00 00 00")
	c.want("F7 32 10 00 01 00 00 00 01 00 00 00 0A 00 00 00")
	c.send(netip.AddrPortFrom(loopback, port), searchAny)
	c.want(captured)
}

// A port that another program holds for itself costs the searches, not the
// announcements, and is taken when it becomes free. Both are logged once.
func TestBusyPort(t *testing.T) {
	holder := newClient(t)
	port := holder.addr.Port()
	c := newClient(t)
	log := &journalWriter{}
	a, err := Listen(Options{
		Broadcast: []netip.AddrPort{c.addr}, Ports: []uint16{port}, Bind: loopback,
		Product: w3gs.ProductTFT, Version: 20, Retry: 5 * time.Millisecond, Log: zerolog.New(log),
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

	holder.conn.Close()
	asked := netip.AddrPortFrom(loopback, port)
	found, err := search(context.Background(), asked, w3gs.SearchGame{Product: w3gs.ProductTFT, Version: 20},
		pace{tries: 500, retry: 10 * time.Millisecond, quiet: time.Millisecond})
	if err != nil || found[0].From != asked {
		t.Fatalf("got %v, %v", found, err)
	}
	if n := log.count("warn", "searches on this UDP port are not heard"); n != 1 {
		t.Errorf("%d warnings, want 1", n)
	}
	if n := log.count("info", "awaiting LAN searches again"); n != 1 {
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
		o.Retry = time.Millisecond
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
	s := newSender(a)
	s.to = []netip.AddrPort{netip.AddrPortFrom(loopback, 0), c.addr} // nothing can be sent to port 0
	s.failed = make([]bool, 2)
	for range 3 {
		s.send([][]byte{{1}, {2}})
		c.want("01")
		c.want("02")
	}
	if n := log.count("warn", "announcements do not get out"); n != 1 {
		t.Errorf("%d warnings, want 1", n)
	}
	s.to[0] = newClient(t).addr
	for range 3 {
		s.send([][]byte{{1}})
		c.want("01")
	}
	if n := log.count("info", "get out again"); n != 1 {
		t.Errorf("%d times again, want 1", n)
	}
	s.note(1, sendAll(nil, c.addr, [][]byte{{1}}))
	if n := log.count("warn", "announcements do not get out"); n != 2 {
		t.Errorf("without a socket: %d warnings, want 2", n)
	}
}

// A client of another version is told of once.
func TestForeignVersionLogged(t *testing.T) {
	c := newClient(t)
	log := &journalWriter{}
	a, addr := listen(t, func(o *Options) { o.Log = zerolog.New(log) })
	open(t, a, 1)
	for range 3 {
		c.send(addr, "F7 2F 10 00 50 58 33 57 1C 00 00 00 00 00 00 00")
		c.send(addr, "F7 2F 10 00 50 58 33 57 1C 00 00 00 01 00 00 00")
		c.send(addr, "F7 2F 10 00 50 58 33 57 14 00 00 00 09 00 00 00") // only another lobby
		c.send(addr, searchAny)
		c.want(captured)
	}
	if n := log.count("info", "another version"); n != 1 {
		t.Errorf("%d lines, want 1", n)
	}
	for v := range byte(100) {
		search := unhex(t, searchAny)
		search[8] = 100 + v
		c.conn.WriteToUDPAddrPort(search, addr)
	}
	c.send(addr, searchAny)
	c.want(captured)
	if n := log.count("info", "another version"); n > maxForeign {
		t.Errorf("%d lines, want %d at most", n, maxForeign)
	}
}

// Who asks too much gets a bounded number of answers.
func TestAnswerLimit(t *testing.T) {
	a, _ := listen(t, nil)
	open(t, a, 1, 2, 3)
	greedy, other := netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.3")
	answers := 0
	began := time.Now()
	for range 1000 {
		out, owed := a.infos(w3gs.SearchGame{Product: w3gs.ProductTFT, Version: 20}, greedy)
		if owed != 3 {
			t.Fatalf("owed %d", owed)
		}
		answers += len(out)
	}
	if most := sourceBurst + int(time.Since(began).Seconds()*sourceRate) + 1; answers < sourceBurst || answers > most {
		t.Errorf("%d answers, want %d to %d", answers, sourceBurst, most)
	}
	if out, _ := a.infos(w3gs.SearchGame{Product: w3gs.ProductTFT, Version: 20}, other); len(out) != 3 {
		t.Errorf("another source got %d answers", len(out))
	}
}

// Shutdown takes every lobby off the list and leaves no socket behind.
func TestShutdown(t *testing.T) {
	c := newClient(t)
	a, addr := listen(t, nil, c)
	open(t, a, 1, 2)
	for range 4 {
		c.receive()
	}
	a.Shutdown()
	c.want("F7 33 08 00 01 00 00 00")
	c.want("F7 33 08 00 02 00 00 00")
	if err := a.Open(capturedAdvert); !errors.Is(err, ErrStopped) {
		t.Errorf("got %v, want ErrStopped", err)
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
	a, addr := listen(t, func(o *Options) { o.Interval = time.Millisecond }, c)
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
				a.Stats()
				a.Close(id + 1)
			}
		})
	}
	callers.Wait()
}

func TestMain(m *testing.M) {
	before := runtime.NumGoroutine()
	code := m.Run()
	// Shutdown waits for its goroutines: none may be left.
	for range 100 {
		if runtime.NumGoroutine() <= before {
			os.Exit(code)
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	os.Stderr.Write(buf[:runtime.Stack(buf, true)])
	os.Exit(1)
}
