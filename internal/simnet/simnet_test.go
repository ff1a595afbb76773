package simnet_test

import (
	"bytes"
	"io"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"w3host/internal/simnet"
)

// inBubble gives a test the two ends of a connection, in virtual time.
func inBubble(t *testing.T, up, down simnet.Line, f func(t *testing.T, n *simnet.Net, here, there *simnet.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := simnet.New(1)
		t.Cleanup(n.Close)
		here, there := n.Pair(up, down)
		f(t, n, here, there)
	})
}

// took is the virtual time that it takes to read n bytes.
func took(t *testing.T, c *simnet.Conn, n int) time.Duration {
	t.Helper()
	began := time.Now()
	if _, err := io.ReadFull(c, make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

// TestDelayAndRate: bytes take the delay of their own direction, and the time that the line needs to send them.
func TestDelayAndRate(t *testing.T) {
	inBubble(t, simnet.Line{Delay: 30 * time.Millisecond}, simnet.Line{Delay: 10 * time.Millisecond, Rate: 100_000}, func(t *testing.T, _ *simnet.Net, here, there *simnet.Conn) {
		_, _ = here.Write([]byte("x"))
		if d := took(t, there, 1); d != 30*time.Millisecond {
			t.Errorf("up took %v", d)
		}
		_, _ = there.Write(make([]byte, 50_000))
		if d := took(t, here, 50_000); d < 509*time.Millisecond || d > 511*time.Millisecond {
			t.Errorf("50,000 bytes at 100,000 a second took %v down", d)
		}
	})
}

// TestBytesKeepTheirOrder on a line with jitter, loss and split segments, and the same seed gives the same times.
func TestBytesKeepTheirOrder(t *testing.T) {
	var first time.Duration
	for range 2 {
		bad := simnet.Line{Delay: 20 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.1, Split: 0.5}
		inBubble(t, bad, bad, func(t *testing.T, _ *simnet.Net, here, there *simnet.Conn) {
			want := make([]byte, 100_000)
			for i := range want {
				want[i] = byte(i / 7)
			}
			began := time.Now()
			go func() {
				_, _ = here.Write(want)
				_ = here.CloseWrite()
			}()
			got, err := io.ReadAll(there)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes came, %v", len(got), err)
			}
			if first == 0 {
				first = time.Since(began)
			} else if d := time.Since(began); d != first {
				t.Errorf("took %v, and before %v", d, first)
			}
		})
	}
}

// TestHold: nothing arrives while a line is cut, and everything when it is mended.
func TestHold(t *testing.T) {
	inBubble(t, simnet.Line{Delay: time.Millisecond}, simnet.Line{}, func(t *testing.T, _ *simnet.Net, here, there *simnet.Conn) {
		_, _ = here.Write([]byte("before"))
		here.Hold(time.Minute)
		_, _ = here.Write([]byte("during"))
		if d := took(t, there, 12); d != time.Minute {
			t.Errorf("took %v", d)
		}
	})
}

// TestSever: both ends are half open. Neither hears of the other's end.
func TestSever(t *testing.T) {
	inBubble(t, simnet.Line{}, simnet.Line{}, func(t *testing.T, _ *simnet.Net, here, there *simnet.Conn) {
		here.Sever()
		_, _ = here.Write([]byte("lost"))
		_ = here.Close()
		_ = there.SetReadDeadline(time.Now().Add(time.Hour))
		if n, err := there.Read(make([]byte, 9)); n != 0 || err == nil || err == io.EOF {
			t.Errorf("read %d bytes, %v", n, err)
		}
	})
}

// TestCopies: a connection ends when the last process that has its descriptor closes it, unless one resets it.
func TestCopies(t *testing.T) {
	inBubble(t, simnet.Line{}, simnet.Line{}, func(t *testing.T, n *simnet.Net, here, there *simnet.Conn) {
		here.Copy()
		same := n.File(here.File())
		_ = here.Close()
		if _, err := same.Write([]byte("x")); err != nil {
			t.Errorf("the copy: %v", err)
		}
		_ = same.Close()
		if b, err := io.ReadAll(there); string(b) != "x" || err != nil {
			t.Errorf("read %q, %v", b, err)
		}
		here, there = n.Pair(simnet.Line{}, simnet.Line{})
		here.Copy()
		here.Reset()
		if _, err := there.Read(make([]byte, 1)); err == nil || err == io.EOF {
			t.Errorf("a reset with a copy left: %v", err)
		}
	})
}

// TestHandle: events of one moment are told in the order in which they happened.
func TestHandle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := simnet.New(1)
		defer n.Close()
		var order []int
		var ends []*simnet.Conn
		for i := range 5 {
			here, there := n.Pair(simnet.Line{Delay: time.Second}, simnet.Line{})
			there.Notify(func(e simnet.Event) {
				if e&simnet.Readable != 0 {
					order = append(order, i)
				}
			})
			ends = append(ends, here)
		}
		for _, i := range []int{3, 0, 4, 1, 2} {
			_, _ = ends[i].Write([]byte("x"))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		for at, want := range []int{3, 0, 4, 1, 2} {
			if at >= len(order) || order[at] != want {
				t.Fatalf("told in the order %v", order)
			}
		}
		if _, err := n.Dial(netip.MustParseAddr("10.0.0.1"), netip.MustParseAddrPort("10.0.0.2:1"), simnet.Line{}, simnet.Line{}); err == nil {
			t.Error("connected to nobody")
		}
	})
}
