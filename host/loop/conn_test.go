package loop

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/mapxfer"
)

// fake is a socket that has one read and takes everything, and the handler of its
// connection.
type fake struct {
	*Conn
	in      []byte
	packets int
	written int
	ended   int
}

func (f *fake) Read(p []byte) (n int, more bool, err error) {
	n = copy(p, f.in)
	f.in = f.in[n:]
	return n, len(f.in) > 0, nil
}

func (f *fake) Write(p []byte) (int, error)    { f.written += len(p); return len(p), nil }
func (f *fake) CloseWrite()                    {}
func (f *fake) copied() int                    { return -1 }
func (f *fake) release()                       {}
func (f *fake) move(*Loop, func(Socket) *Conn) {}
func (f *fake) Close()                         {}
func (f *fake) Figures() mapxfer.Figures       { return mapxfer.Figures{} }
func (f *fake) Waited() time.Duration          { return 0 }
func (f *fake) watch(*set)                     {}

func (f *fake) Packet([]byte) error { f.packets++; return nil }
func (f *fake) Framed(int)          {}
func (f *fake) Crashed(any)         {}
func (f *fake) Ended(bool)          { f.ended++ }

// fakeConn admits a connection over a fake socket.
func fakeConn(t *testing.T) (*Loop, *fake) {
	t.Helper()
	f := &fake{}
	l, err := New(nil, Handlers{Arrive: func(c *Conn) {
		f.Conn, c.Handler = c, f
		c.Await(time.Minute, 1<<10)
		c.Admit()
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.poll.close)
	l.arrive(f, netip.AddrPort{})
	return l, f
}

// TestByteByByte: a packet that comes byte by byte is not copied again for each byte.
func TestByteByByte(t *testing.T) {
	l, f := fakeConn(t)
	packet := testkit.Packet(0x77, make([]byte, FrameMax-4))
	n := testing.AllocsPerRun(10, func() {
		for i := range packet {
			f.in = packet[i : i+1]
			l.Receive(f.Conn)
		}
	})
	if n > 15 || len(f.Conn.in.rest) > 0 || f.packets != 11 {
		t.Errorf("%v allocations for a packet of %d bytes that comes byte by byte; %d bytes are left, %d packets came", n, len(packet), len(f.Conn.in.rest), f.packets)
	}
}

// TestBuffersAreShared: a connection holds memory for packets only while some wait.
func TestBuffersAreShared(t *testing.T) {
	l, f := fakeConn(t)
	f.Queue(testkit.Packet(0x0F))
	if cap(f.out.packets) == 0 {
		t.Fatal("nothing waits")
	}
	l.settle()
	if cap(f.out.packets) != 0 || len(l.buffers) != 1 {
		t.Errorf("the connection holds %d bytes, %d buffers are spare", cap(f.out.packets), len(l.buffers))
	}
	f.Queue(testkit.Packet(0x0F))
	if len(l.buffers) != 0 {
		t.Error("the spare buffer is not used")
	}
}

// TestPassIsBounded: of what one read brings, passPackets packets are handled; the
// connection is on the list until a read finds no more.
func TestPassIsBounded(t *testing.T) {
	l, f := fakeConn(t)
	for range 3*passPackets + 1 {
		f.in = append(f.in, testkit.Packet(0x26, byte(1))...)
	}
	for pass := 1; pass <= 5; pass++ {
		if l.passUnread(); pass == 1 {
			l.Receive(f.Conn)
		}
		if want := min(pass*passPackets, 3*passPackets+1); f.packets != want || f.Conn.in.listed != (pass < 5) {
			t.Errorf("pass %d: %d packets are handled, want %d; listed: %v", pass, f.packets, want, f.Conn.in.listed)
		}
	}
}

// TestWritingIsBounded: one pass writes passWrite bytes of a connection, though its socket
// takes all.
func TestWritingIsBounded(t *testing.T) {
	l, f := fakeConn(t)
	f.out.limit = 4 * passWrite
	total := 0
	for total < 5*passWrite/2 {
		p := testkit.Packet(0x0F, make([]byte, 996))
		f.Queue(p)
		total += len(p)
	}
	l.settle()
	for pass := 1; pass <= 4; pass++ {
		if want := min(pass*passWrite, total); f.written != want {
			t.Errorf("pass %d: %d bytes are written, want %d", pass, f.written, want)
		}
		l.passUnwritten()
	}
}

// TestEndsOnce: a connection is closed once, whoever else wants to.
func TestEndsOnce(t *testing.T) {
	l, f := fakeConn(t)
	f.Finish(net.ErrClosed)
	f.Cut(ErrFlood)
	f.Cut(ErrCrashed)
	if f.ended != 1 || f.Cause() != net.ErrClosed || f.State() != Closed || l.Connections() != 0 {
		t.Errorf("ended %d times with %v, state %d, %d connections", f.ended, f.Cause(), f.State(), l.Connections())
	}
}

// unwatched is a socket that the system does not watch.
type unwatched struct {
	*fake
	end func()
}

func (u unwatched) watch(*set) { u.end() }

// TestGroupThatEndsWithItsFirst: a group is not read any more that has ended because the system does not watch its
// first connection.
func TestGroupThatEndsWithItsFirst(t *testing.T) {
	l, f := fakeConn(t)
	g := l.Group(nil, 1)
	f.Socket = unwatched{f, func() { f.Cut(ErrOverflow); l.CloseGroup(g) }}
	if l.ReadInTime(g, f.Conn); len(l.reading) > 0 {
		t.Error("it is read for ever")
	}
}
