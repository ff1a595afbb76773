package testkit

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// Patience is how long a test waits in real time; it is long because the machine may be busy.
const Patience = 15 * time.Second

// virtualPatience is the equivalent in virtual time: longer than any time limit of the host.
const virtualPatience = 10 * time.Minute

// Virtual reports whether the caller is in a bubble of testing/synctest, whose time starts in 2000.
func Virtual() bool { return time.Now().Year() < 2010 }

// patience returns Patience, or virtualPatience in virtual time.
func patience() time.Duration {
	if Virtual() {
		return virtualPatience
	}
	return Patience
}

// Client is a player's connection, written from the protocol description alone: it splits the stream into
// packets itself and shares no code with the host. It keeps each packet with its arrival time.
type Client struct {
	t    testing.TB
	Conn Stream
	Name string // for test messages
	PID  byte

	// Conduct answers a packet, on the reading goroutine; nil answers nothing.
	Conduct func(*Client, []byte)
	// Extension receives packets that start with 0xF8; if nil, such a packet is an error.
	Extension func([]byte)
	Hash      func(turn int) uint32 // checksum for the answer to each turn
	Turns     int                   // number of 0x0C with an increment received

	in []byte // data read but not split into packets yet

	mu      sync.Mutex
	stalled chan struct{} // open while the client must not read; see Stall
	heard   []Heard
	end     error // why no more packets arrive
	news    chan struct{}
	Cursor  int    // index in heard of the packet that Next returns
	Ignore  string // opcodes that Next skips: pings, and those that a test adds
}

// Stream is a TCP connection: a *net.TCPConn, or one in memory.
type Stream interface {
	net.Conn
	CloseWrite() error
	SetLinger(seconds int) error
}

// Heard is a packet with its arrival time.
type Heard struct {
	At time.Time
	B  []byte
}

// Dial connects without sending anything.
func Dial(t testing.TB, to netip.AddrPort) *Client {
	t.Helper()
	nc, err := net.DialTCP("tcp", nil, net.TCPAddrFromAddrPort(to))
	if err != nil {
		t.Fatal(err)
	}
	return NewClient(t, nc)
}

// NewClient returns a Client for a connection, which is closed at the end of the test.
func NewClient(t testing.TB, nc Stream) *Client {
	t.Helper()
	t.Cleanup(func() { _ = nc.Close() })
	return &Client{t: t, Conn: nc, news: make(chan struct{}, 1), Ignore: "\x01", Hash: func(turn int) uint32 { return uint32(turn) * 7 }}
}

// Listen reads until the connection ends, then closes it like clients do.
func (c *Client) Listen() {
	for {
		b, err := c.Read()
		c.waitStalled()
		if err == nil && b[0] == 0xF8 {
			c.Extension(b)
			continue
		}
		c.mu.Lock()
		if err != nil {
			c.end = err
		} else {
			c.heard = append(c.heard, Heard{time.Now(), b})
		}
		c.mu.Unlock()
		select {
		case c.news <- struct{}{}:
		default:
		}
		if err != nil {
			_ = c.Conn.Close()
			return
		}
		if c.Conduct != nil {
			c.Conduct(c, b)
		}
	}
}

// Read returns the next packet of the stream, including its header F7 · op · length u16. If a deadline
// interrupts it, the next Read continues with the partial packet.
func (c *Client) Read() ([]byte, error) {
	for want := 4; ; {
		if len(c.in) >= 4 {
			want = int(c.in[2]) | int(c.in[3])<<8
			if c.in[0] != 0xF7 && (c.in[0] != 0xF8 || c.Extension == nil) || want < 4 {
				return nil, fmt.Errorf("not a packet: % X", c.in[:4])
			}
		}
		if len(c.in) >= want {
			b := c.in[:want:want]
			c.in = c.in[want:]
			return b, nil
		}
		if cap(c.in)-len(c.in) < 1<<10 { // allocate, because packets that were returned still use the old buffer
			c.in = append(make([]byte, 0, 16<<10), c.in...)
		}
		n, err := c.Conn.Read(c.in[len(c.in):cap(c.in)])
		c.in = c.in[:len(c.in)+n]
		if n == 0 && err != nil {
			if len(c.in) > 0 && err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}

// Stall keeps the client from reading and answering, until resume is called or the test ends. A read in
// progress completes.
func (c *Client) Stall() (resume func()) {
	stalled := make(chan struct{})
	c.mu.Lock()
	c.stalled = stalled
	c.mu.Unlock()
	resume = sync.OnceFunc(func() { close(stalled) })
	c.t.Cleanup(resume)
	return resume
}

func (c *Client) waitStalled() {
	c.mu.Lock()
	stalled := c.stalled
	c.mu.Unlock()
	if stalled != nil {
		<-stalled
	}
}

// Send writes packets. It ignores errors, because reading detects a broken connection.
func (c *Client) Send(packets ...[]byte) {
	for _, p := range packets {
		_, _ = c.Conn.Write(p)
	}
}

// Next waits for the next packet that is not in Ignore. It returns nil at the end of the connection.
func (c *Client) Next() []byte {
	c.t.Helper()
	return c.nextBy(time.After(patience()))
}

func (c *Client) nextBy(deadline <-chan time.Time) []byte {
	c.t.Helper()
	for {
		c.mu.Lock()
		for c.Cursor < len(c.heard) {
			b := c.heard[c.Cursor].B
			c.Cursor++
			if !strings.Contains(c.Ignore, string(rune(b[1]))) {
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
			c.t.Fatalf("%s: nothing came within %v", c.Name, patience())
		}
	}
}

// Expect compares each of the next packets with bytes in hex, where ?? matches any byte.
func (c *Client) Expect(patterns ...string) {
	c.t.Helper()
	for i, pattern := range patterns {
		if b := c.Next(); !Matches(pattern, b) {
			c.t.Fatalf("%s: packet %d of %d\n got %X\nwant %s", c.Name, i+1, len(patterns), b, strings.Join(strings.Fields(pattern), ""))
		}
	}
}

// Until skips to the next packet with an opcode and returns it.
func (c *Client) Until(op byte) []byte {
	c.t.Helper()
	return c.until(fmt.Sprintf("a 0x%02X", op), func(b []byte) bool { return b[1] == op })
}

func (c *Client) until(what string, is func(packet []byte) bool) []byte {
	c.t.Helper()
	for deadline := time.After(patience()); ; {
		b := c.nextBy(deadline)
		if b == nil {
			c.t.Fatalf("%s: the connection ended (%v) before %s came", c.Name, c.Ending(), what)
		}
		if is(b) {
			return b
		}
	}
}

// UntilText skips to the next chat line that contains a text and returns the line.
func (c *Client) UntilText(part string) string {
	c.t.Helper()
	return ChatText(c.UntilChat(part))
}

// UntilChat is like UntilText but returns the packet.
func (c *Client) UntilChat(part string) []byte {
	c.t.Helper()
	return c.until("a line with "+part, func(b []byte) bool { return b[1] == 0x0F && strings.Contains(string(b), part) })
}

// Ended waits for the end of the connection and returns its error; io.EOF is a regular end.
func (c *Client) Ended() error {
	c.t.Helper()
	for deadline := time.After(patience()); c.nextBy(deadline) != nil; { //nolint:revive // packets before the end do not matter
	}
	return c.Ending()
}

// Ending returns the error that ended the connection, or nil while it is open.
func (c *Client) Ending() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end
}

// All returns all packets so far.
func (c *Client) All() []Heard {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.heard)
}

// Count returns the number of packets with an opcode so far.
func (c *Client) Count(op byte) (n int) {
	for _, p := range c.All() {
		if p.B[1] == op {
			n++
		}
	}
	return n
}

// Slots returns the slots of the last 0x09, or nil before the first.
func (c *Client) Slots() []w3gs.Slot {
	c.t.Helper()
	for _, p := range slices.Backward(c.All()) {
		if p.B[1] == 0x09 {
			var table w3gs.SlotInfo
			if err := table.Decode(p.B[4:]); err != nil {
				c.t.Error(err)
			}
			return table.Slots
		}
	}
	return nil
}

// Say sends a lobby chat line.
func (c *Client) Say(text string, to ...byte) {
	c.Send(Packet(0x28, byte(len(to)), to, c.PID, byte(0x10), text))
}

// SayInGame sends an in-game chat line to all.
func (c *Client) SayInGame(text string, to ...byte) {
	c.Send(Packet(0x28, byte(len(to)), to, c.PID, byte(0x20), uint32(0), text))
}

// LocalPort returns the client's own port.
func (c *Client) LocalPort() uint16 { return c.Conn.LocalAddr().(*net.TCPAddr).AddrPort().Port() }
