package simnet_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"w3host/internal/simnet"
)

// conn is what both networks offer.
type conn interface {
	net.Conn
	CloseWrite() error
	SetLinger(seconds int) error
}

// stack is a network under test.
type stack struct {
	listen func(at string) (net.Listener, error)
	dial   func(to string) (conn, error)
	settle func() // returns when everything that was sent has arrived
}

// system is the loopback interface, where bytes have arrived when Write returns.
func system() stack {
	return stack{
		listen: func(at string) (net.Listener, error) { return net.Listen("tcp4", at) },
		dial: func(to string) (conn, error) {
			c, err := net.Dial("tcp4", to)
			if err != nil {
				return nil, err
			}
			return c.(*net.TCPConn), nil
		},
		settle: func() {},
	}
}

// memory is a network in memory over one kind of line.
func memory(t *testing.T, line simnet.Line) stack {
	n := simnet.New(1)
	t.Cleanup(n.Close)
	return stack{
		listen: func(at string) (net.Listener, error) { return n.Listen(netip.MustParseAddrPort(at)) },
		dial: func(to string) (conn, error) {
			c, err := n.Dial(netip.MustParseAddr("127.0.0.1"), netip.MustParseAddrPort(to), line, line)
			if err != nil {
				return nil, err
			}
			return c, nil
		},
		settle: func() { time.Sleep(4*line.Delay + time.Nanosecond) },
	}
}

// onEach runs a case on the system's network, and in virtual time on two in memory.
func onEach(t *testing.T, f func(t *testing.T, s stack)) {
	t.Run("system", func(t *testing.T) { f(t, system()) })
	for name, line := range map[string]simnet.Line{"memory": {}, "memory with a delay": {Delay: 20 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, memory(t, line)) })
		})
	}
}

// pair opens a connection, and returns the end that dialled and the one that accepted.
func (s stack) pair(t *testing.T) (near, far conn) {
	t.Helper()
	l, err := s.listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err = s.dial(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	far = accepted.(conn)
	for _, c := range []conn{near, far} {
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetDeadline(time.Now().Add(time.Minute)) // a fault fails the test and does not hang it
	}
	return near, far
}

// write sends all of b and waits until it has arrived.
func (s stack) write(t *testing.T, c conn, b string) {
	t.Helper()
	if n, err := c.Write([]byte(b)); n != len(b) || err != nil {
		t.Fatalf("wrote %d of %d bytes: %v", n, len(b), err)
	}
	s.settle()
}

// wantRead reads until an error and compares both.
func wantRead(t *testing.T, c conn, want string, end error) {
	t.Helper()
	var got []byte
	for b := make([]byte, 100); ; {
		n, err := c.Read(b)
		got = append(got, b[:n]...)
		if err != nil {
			if string(got) != want || !errors.Is(err, end) {
				t.Errorf("read %q and %v, want %q and %v", got, err, want, end)
			}
			return
		}
	}
}

// TestEndBehindData: the peer reads all bytes before it learns of the end.
func TestEndBehindData(t *testing.T) {
	onEach(t, func(t *testing.T, s stack) {
		near, far := s.pair(t)
		s.write(t, far, "last words")
		_ = far.Close()
		wantRead(t, near, "last words", io.EOF)
		wantRead(t, near, "", io.EOF) // and learns it again
	})
}

// TestHalfClose: CloseWrite ends one direction, and the other goes on.
func TestHalfClose(t *testing.T) {
	onEach(t, func(t *testing.T, s stack) {
		near, far := s.pair(t)
		if err := near.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if _, err := near.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
			t.Errorf("a write behind CloseWrite: %v", err)
		}
		wantRead(t, far, "", io.EOF)
		s.write(t, far, "still here")
		_ = far.Close()
		wantRead(t, near, "still here", io.EOF)
	})
}

// TestCloseWithUnreadData resets the connection.
func TestCloseWithUnreadData(t *testing.T) {
	onEach(t, func(t *testing.T, s stack) {
		near, far := s.pair(t)
		s.write(t, near, "nobody reads this")
		_ = far.Close()
		s.settle()
		wantRead(t, near, "", syscall.ECONNRESET)
		if _, err := near.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
			t.Errorf("a write behind a reset: %v", err)
		}
	})
}

// TestLingerOfZero: Close resets, and bytes that had arrived can still be read.
func TestLingerOfZero(t *testing.T) {
	onEach(t, func(t *testing.T, s stack) {
		near, far := s.pair(t)
		s.write(t, far, "before the reset")
		_ = far.SetLinger(0)
		_ = far.Close()
		s.settle()
		wantRead(t, near, "before the reset", syscall.ECONNRESET)
	})
}

// TestWriteToTheClosed: the first write to a peer that has closed succeeds and is answered by a reset; the
// next one fails.
func TestWriteToTheClosed(t *testing.T) {
	onEach(t, func(t *testing.T, s stack) {
		near, far := s.pair(t)
		_ = far.Close()
		wantRead(t, near, "", io.EOF)
		s.write(t, near, "x")
		if _, err := near.Write([]byte("y")); !errors.Is(err, syscall.EPIPE) {
			t.Errorf("the second write: %v", err)
		}
	})
}

// TestFullBuffers: a peer that does not read stops the writer, and reads every byte in order later.
func TestFullBuffers(t *testing.T) {
	onEach(t, func(t *testing.T, s stack) {
		near, far := s.pair(t)
		chunk := make([]byte, 64<<10)
		for i := range chunk {
			chunk[i] = byte(i % 251)
		}
		_ = near.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		sent := 0
		for {
			n, err := near.Write(chunk)
			sent += n
			if errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
			if err != nil || sent > 64<<20 {
				t.Fatalf("%d bytes, and then %v", sent, err)
			}
		}
		_ = near.SetWriteDeadline(time.Now().Add(time.Minute))
		done := make(chan error, 1)
		go func() {
			_, err := near.Write([]byte("end"))
			done <- errors.Join(err, near.Close())
		}()
		got, err := io.ReadAll(far)
		if err := errors.Join(err, <-done); err != nil || len(got) != sent+3 || !bytes.HasSuffix(got, []byte("end")) {
			t.Fatalf("read %d bytes of %d: %v", len(got), sent+3, err)
		}
		for i, b := range got[:sent] { // a write that was cut short begins the chunk anew
			if want := chunk[i%len(chunk)]; b != want {
				t.Fatalf("byte %d is %d, want %d", i, b, want)
			}
		}
	})
}

// TestDeadlines: one that is over ends a read although there are bytes, and one that is taken back lets it go on.
func TestDeadlines(t *testing.T) {
	onEach(t, func(t *testing.T, s stack) {
		near, far := s.pair(t)
		s.write(t, far, "x")
		_ = near.SetReadDeadline(time.Unix(1, 0))
		if _, err := near.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a read behind its deadline: %v", err)
		}
		_ = near.SetReadDeadline(time.Time{})
		if n, err := near.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("read %d bytes, %v", n, err)
		}
		late := make(chan error, 1)
		go func() {
			_, err := near.Read(make([]byte, 1))
			late <- err
		}()
		_ = near.SetReadDeadline(time.Unix(1, 0)) // also of a read under way
		if err := <-late; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a read under way: %v", err)
		}
	})
}

// TestCloseEndsARead: a read under way ends when its own end is closed.
func TestCloseEndsARead(t *testing.T) {
	onEach(t, func(t *testing.T, s stack) {
		near, _ := s.pair(t)
		done := make(chan error, 1)
		go func() {
			_, err := near.Read(make([]byte, 1))
			done <- err
		}()
		s.settle()
		_ = near.Close()
		if err := <-done; !errors.Is(err, net.ErrClosed) {
			t.Errorf("the read ends with %v", err)
		}
	})
}

// TestListeners: a port has one listener; a closed one refuses, and resets connections that nobody accepted.
func TestListeners(t *testing.T) {
	onEach(t, func(t *testing.T, s stack) {
		l, err := s.listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := l.Addr().String()
		if _, err := s.listen(addr); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("a second listener: %v", err)
		}
		waits, err := s.dial(addr)
		if err != nil {
			t.Fatal(err)
		}
		defer waits.Close()
		_ = waits.SetDeadline(time.Now().Add(time.Minute))
		_ = l.Close()
		s.settle()
		wantRead(t, waits, "", syscall.ECONNRESET)
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Accept of a closed listener: %v", err)
		}
		if _, err := s.dial(addr); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("a port without a listener: %v", err)
		}
	})
}

// TestOrderOfAccept: connections are accepted in the order in which they were made.
func TestOrderOfAccept(t *testing.T) {
	onEach(t, func(t *testing.T, s stack) {
		l, err := s.listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		var want []string
		for range 20 {
			c, err := s.dial(l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			want = append(want, c.LocalAddr().String())
		}
		for i, addr := range want {
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if got := c.RemoteAddr().String(); got != addr {
				t.Fatalf("connection %d is that of %s, want %s", i, got, addr)
			}
		}
	})
}
