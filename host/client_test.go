package host

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"w3host/w3gs"
)

// patience is how long a test waits for what must come. The machine may be busy.
const patience = 15 * time.Second

// client is a player's end of the wire, written from the description of the
// protocol alone: it cuts the stream into packets itself and shares no code with
// the host. What it hears is kept with the time it came.
type client struct {
	t    testing.TB
	nc   *net.TCPConn
	name string
	pid  byte

	// conduct is what the client does by itself about a packet, on the goroutine
	// that reads; nil for nothing.
	conduct func(*client, []byte)
	hash    func(turn int) uint32 // of the answer to each turn
	turns   int                   // 0x0C with an increment so far

	mu     sync.Mutex
	still  chan struct{} // open while the client does not read; see stall
	heard  []packetAt
	end    error // why nothing more comes
	news   chan struct{}
	cursor int    // what the test has not looked at yet
	ignore string // opcodes that next passes over: pings, and what a test adds
}

type packetAt struct {
	at time.Time
	b  []byte
}

// dial connects without saying anything.
func dial(t testing.TB, to netip.AddrPort) *client {
	t.Helper()
	nc, err := net.DialTCP("tcp", nil, net.TCPAddrFromAddrPort(to))
	if err != nil {
		t.Fatal(err)
	}
	return clientOn(t, nc)
}

// clientOn makes a client of a connection.
func clientOn(t testing.TB, nc *net.TCPConn) *client {
	t.Helper()
	t.Cleanup(func() { _ = nc.Close() })
	return &client{t: t, nc: nc, news: make(chan struct{}, 1), ignore: "\x01", hash: func(turn int) uint32 { return uint32(turn) * 7 }}
}

// listen reads until the connection ends, and closes it then as clients do.
func (c *client) listen() {
	for {
		b, err := c.read()
		c.waitStill()
		c.mu.Lock()
		if err != nil {
			c.end = err
		} else {
			c.heard = append(c.heard, packetAt{time.Now(), b})
		}
		c.mu.Unlock()
		select {
		case c.news <- struct{}{}:
		default:
		}
		if err != nil {
			_ = c.nc.Close()
			return
		}
		if c.conduct != nil {
			c.conduct(c, b)
		}
	}
}

// read cuts one packet off the stream: F7 op length u16, which counts these four.
func (c *client) read() ([]byte, error) {
	b := make([]byte, 4)
	if _, err := io.ReadFull(c.nc, b); err != nil {
		return nil, err
	}
	n := int(b[2]) | int(b[3])<<8
	if b[0] != 0xF7 || n < 4 {
		return nil, fmt.Errorf("not a packet: % X", b)
	}
	b = append(b, make([]byte, n-4)...)
	_, err := io.ReadFull(c.nc, b[4:])
	return b, err
}

// stall keeps the client from reading, but for what it may have begun to read,
// and from answering, until resume or the end of the test.
func (c *client) stall() (resume func()) {
	still := make(chan struct{})
	c.mu.Lock()
	c.still = still
	c.mu.Unlock()
	resume = sync.OnceFunc(func() { close(still) })
	c.t.Cleanup(resume)
	return resume
}

func (c *client) waitStill() {
	c.mu.Lock()
	still := c.still
	c.mu.Unlock()
	if still != nil {
		<-still
	}
}

// send writes packets; what the host does about a broken connection is the
// test's to find out.
func (c *client) send(packets ...[]byte) {
	for _, p := range packets {
		_, _ = c.nc.Write(p)
	}
}

// next is the next packet that is not ignored; nil when the connection has ended
// first.
func (c *client) next() []byte {
	c.t.Helper()
	return c.nextBy(time.After(patience))
}

func (c *client) nextBy(deadline <-chan time.Time) []byte {
	c.t.Helper()
	for {
		c.mu.Lock()
		for c.cursor < len(c.heard) {
			b := c.heard[c.cursor].b
			c.cursor++
			if !strings.Contains(c.ignore, string(rune(b[1]))) {
				c.mu.Unlock()
				return b
			}
		}
		ended := c.end != nil
		c.mu.Unlock()
		if ended {
			return nil
		}
		select {
		case <-c.news:
		case <-deadline:
			c.t.Fatalf("%s: what the test waits for did not come within %v", c.name, patience)
		}
	}
}

// expect takes the next packets and compares each with bytes in hex, where ??
// stands for any.
func (c *client) expect(patterns ...string) {
	c.t.Helper()
	for i, pattern := range patterns {
		if b := c.next(); !matches(pattern, b) {
			c.t.Fatalf("%s: packet %d of %d\n got %X\nwant %s", c.name, i+1, len(patterns), b, strings.Join(strings.Fields(pattern), ""))
		}
	}
}

// until skips to the next packet with an opcode.
func (c *client) until(op byte) []byte {
	c.t.Helper()
	return c.untilBy(op, time.After(patience))
}

func (c *client) untilBy(op byte, deadline <-chan time.Time) []byte {
	c.t.Helper()
	for {
		b := c.nextBy(deadline)
		if b == nil {
			c.t.Fatalf("%s: the connection ended (%v) before a 0x%02X came", c.name, c.ending(), op)
		}
		if b[1] == op {
			return b
		}
	}
}

// untilText skips to the next line of chat that holds a text, and returns it.
func (c *client) untilText(part string) string {
	c.t.Helper()
	return chatText(c.untilChat(part))
}

// untilChat does the same and returns the packet.
func (c *client) untilChat(part string) []byte {
	c.t.Helper()
	for deadline := time.After(patience); ; {
		if b := c.untilBy(0x0F, deadline); strings.Contains(string(b), part) {
			return b
		}
	}
}

// ended waits for the end of the connection; a FIN is io.EOF.
func (c *client) ended() error {
	c.t.Helper()
	for deadline := time.After(patience); c.nextBy(deadline) != nil; { //nolint:revive // what came before is of no interest
	}
	return c.ending()
}

func (c *client) ending() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end
}

// all is everything heard so far.
func (c *client) all() []packetAt {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]packetAt(nil), c.heard...)
}

// count is how many packets with an opcode have come so far.
func (c *client) count(op byte) (n int) {
	for _, p := range c.all() {
		if p.b[1] == op {
			n++
		}
	}
	return n
}

// say speaks a line in the lobby, or in the game to all.
// slots is the slot table that came last.
func (c *client) slots() []w3gs.Slot {
	c.t.Helper()
	var last []byte
	for _, p := range c.all() {
		if p.b[1] == 0x09 {
			last = p.b
		}
	}
	if last == nil {
		return nil
	}
	table := new(w3gs.SlotInfo)
	if err := table.Decode(last[4:]); err != nil {
		c.t.Error(err)
	}
	return table.Slots
}

func (c *client) say(text string, to ...byte) {
	c.send(packet(0x28, byte(len(to)), to, c.pid, byte(0x10), text))
}

func (c *client) sayInGame(text string, to ...byte) {
	c.send(packet(0x28, byte(len(to)), to, c.pid, byte(0x20), uint32(0), text))
}

// player answers what every client answers: it has the map, pongs, loads at
// once and acknowledges each turn.
func player(c *client, b []byte) {
	lobbyist(c, b)
	if b[1] == 0x0B {
		c.send(packet(0x23))
	}
}

// lobbyist is a player who does not load by himself.
func lobbyist(c *client, b []byte) {
	switch b[1] {
	case 0x01:
		c.send(packet(0x46, b[4:8]))
	case 0x3D:
		path := strings.IndexByte(string(b[8:]), 0)
		c.send(packet(0x42, uint32(1), byte(1), b[8+path+1:8+path+5]))
	case 0x0C:
		if b[4] != 0 || b[5] != 0 {
			c.turns++
			c.send(packet(0x27, byte(0), c.hash(c.turns)))
		}
	}
}

// joinPacket is a 0x1E.
func joinPacket(id, key uint32, name string) []byte {
	return packet(0x1E, id, key, byte(0), uint16(6112), uint32(7), name, byte(1), byte(0),
		[]byte{2, 0, 0x17, 0xE0, 10, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0})
}

// action is a 0x26 around some data.
func action(data []byte) []byte { return packet(0x26, sum32(data), data) }

// packet puts a header before values: integers little-endian, strings with
// their NUL, bytes as they are.
func packet(op byte, values ...any) []byte {
	b := []byte{0xF7, op, 0, 0}
	for _, v := range values {
		switch v := v.(type) {
		case byte:
			b = append(b, v)
		case uint16:
			b = binary.LittleEndian.AppendUint16(b, v)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case string:
			b = append(append(b, v...), 0)
		case []byte:
			b = append(b, v...)
		default:
			panic(fmt.Sprintf("packet of %T", v))
		}
	}
	binary.LittleEndian.PutUint16(b[2:], uint16(len(b)))
	return b
}

// sum32 is the CRC-32 of IEEE, bit by bit.
func sum32(data []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range data {
		crc ^= uint32(b)
		for range 8 {
			crc = crc>>1 ^ 0xEDB88320&-(crc&1)
		}
	}
	return ^crc
}

func matches(pattern string, b []byte) bool {
	tokens := strings.Fields(pattern)
	if len(tokens) != len(b) {
		return false
	}
	for i, token := range tokens {
		if token != "??" && !strings.EqualFold(token, hex.EncodeToString(b[i:i+1])) {
			return false
		}
	}
	return true
}

// chatText is the text of a 0x0F of the lobby or the game.
func chatText(b []byte) string {
	at := 4 + 1 + int(b[4]) + 1
	if b[at] == 0x20 {
		at += 4
	}
	return strings.TrimRight(string(b[at+1:]), "\x00")
}
