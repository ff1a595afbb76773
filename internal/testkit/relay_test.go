package testkit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// pair joins two pipes by a relay; their ends are the client and the target. It
// is for bubbles of synctest, where time is exact.
func pair(t *testing.T, up, down Line) (client, target net.Conn) {
	r := newRelay("", up, down)
	client, near := net.Pipe()
	far, target := net.Pipe()
	r.join(near, far)
	t.Cleanup(func() {
		client.Close()
		target.Close()
		r.done.Wait()
	})
	return client, target
}

// TestRateAndDelay: a megabyte takes a second and the delay, in each direction,
// and arrives as it was.
func TestRateAndDelay(t *testing.T) {
	line := Line{Delay: 50 * ms, Rate: 1e6, Buffer: 64 << 10}
	for name, swap := range map[string]bool{"up": false, "down": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				from, to := pair(t, line, line)
				if swap {
					from, to = to, from
				}
				said := make([]byte, 1_000_000)
				for i := range said {
					said[i] = byte(rand.Uint32())
				}
				start := time.Now()
				go func() { // ends when all is taken
					from.Write(said)
					from.Close()
				}()
				heard, err := io.ReadAll(to)
				if took := time.Since(start); err != nil || took != 1050*ms {
					t.Errorf("took %v, want 1.05 s (%v)", took, err)
				}
				if !bytes.Equal(heard, said) {
					t.Errorf("%d bytes of %d came, or others", len(heard), len(said))
				}
			})
		})
	}
}

// TestRoundTrip: a line behind a full buffer waits for it.
func TestRoundTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, target := pair(t, Line{Delay: 50 * ms}, Line{Delay: 50 * ms, Rate: 1e6, Buffer: 200_000})
		go target.Write(make([]byte, 100_000)) // ends when it is taken
		synctest.Wait()
		var b [1]byte
		go client.Write(b[:])
		start := time.Now()
		go func() { // ends with the answer
			target.Read(b[:])
			target.Write([]byte("!"))
		}()
		heard, err := io.ReadAll(io.LimitReader(client, 100_001))
		if err != nil || heard[100_000] != '!' {
			t.Fatal(err)
		}
		// 50 ms up; meanwhile half of the queue has left, 50 ms of it remain.
		if took := time.Since(start).Truncate(ms); took != 150*ms {
			t.Errorf("answer after %v", took)
		}
	})
}

// TestConnectionsShareTheLine: two senders that always have something to send get
// the same share, apart from the buffer that the first of them found empty.
func TestConnectionsShareTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const buffer = 20_000
		r := newRelay("", Line{}, Line{Rate: 1e6, Buffer: buffer})
		var counts [2]int
		var wg sync.WaitGroup
		for i := range counts {
			client, near := net.Pipe()
			far, target := net.Pipe()
			r.join(near, far)
			wg.Go(func() { target.Write(make([]byte, 2_000_000)) })
			wg.Go(func() {
				buf := make([]byte, 4096)
				for {
					n, err := client.Read(buf)
					if counts[i] += n; err != nil {
						return
					}
				}
			})
			time.AfterFunc(time.Second, func() {
				client.Close()
				target.Close()
			})
		}
		wg.Wait()
		r.done.Wait()
		if sum := counts[0] + counts[1]; sum < 970_000 || sum > 1_000_000 {
			t.Errorf("%d bytes in a second", sum)
		}
		if d := counts[0] - counts[1]; max(d, -d) > buffer+2*segment {
			t.Errorf("%d and %d bytes", counts[0], counts[1])
		}
	})
}

// TestReceiverThatDoesNotRead: the sender is held once the way is full, and all
// arrives when the receiver reads again.
func TestReceiverThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, target := pair(t, Line{}, Line{})
		sent := 0
		go func() { // ends when the pipe is closed
			for buf := make([]byte, segment); ; sent += len(buf) {
				if _, err := target.Write(buf); err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if sent < window*segment || sent > (window+3)*segment {
			t.Errorf("%d bytes are on the way", sent)
		}
		if _, err := io.ReadFull(client, make([]byte, 2*window*segment)); err != nil {
			t.Error(err)
		}
	})
}

// serve accepts one connection on the loopback and relays to it.
func serve(t *testing.T) (r *Relay, client, target *net.TCPConn) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r = NewRelay(t, l.Addr().String(), Line{Delay: ms}, Line{Delay: ms})
	c, err := net.Dial("tcp4", r.Addr())
	if err != nil {
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); far.Close() })
	return r, c.(*net.TCPConn), far.(*net.TCPConn)
}

// TestHalfClose: who has said all may still listen.
func TestHalfClose(t *testing.T) {
	_, client, target := serve(t)
	client.Write([]byte("question"))
	client.CloseWrite()
	if heard, err := io.ReadAll(target); err != nil || string(heard) != "question" {
		t.Fatalf("%q, %v", heard, err)
	}
	target.Write([]byte("answer"))
	target.Close()
	if heard, err := io.ReadAll(client); err != nil || string(heard) != "answer" {
		t.Fatalf("%q, %v", heard, err)
	}
}

// TestReset: a connection that is cut on one side is cut on the other.
func TestReset(t *testing.T) {
	_, client, target := serve(t)
	target.SetLinger(0)
	target.Close()
	if _, err := io.ReadAll(client); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v", err)
	}
}

// TestNobodyThere: the client of a dead target is cut.
func TestNobodyThere(t *testing.T) {
	r := NewRelay(t, fmt.Sprintf("127.0.0.1:%d", FreePort(t)), Line{}, Line{})
	c, err := net.Dial("tcp4", r.Addr())
	if err != nil {
		return // cut before the dialler looked
	}
	defer c.Close()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("no error")
	}
}
