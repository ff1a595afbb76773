package lan

import (
	"bytes"
	"encoding/json"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
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
	c.conn.SetReadDeadline(time.Now().Add(testkit.Patience))
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
		interval:  time.Hour,
		pause:     1, // every search is answered
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

func advertise(t *testing.T, a *Advertiser, ad Advert) {
	t.Helper()
	if err := a.Open(ad); err != nil {
		t.Fatal(err)
	}
}

// open advertises the captured game under other ids.
func open(t *testing.T, a *Advertiser, ids ...uint32) {
	t.Helper()
	for _, id := range ids {
		ad := capturedAdvert
		ad.GameID = id
		advertise(t, a, ad)
	}
}

// capturedAs is the captured 0x30 with another game id.
func capturedAs(id string) string {
	return strings.Replace(captured, "14 00 00 00 01", "14 00 00 00 "+id, 1)
}

// Shutdown waits for its goroutines: none may be left.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
