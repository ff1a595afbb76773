package loop

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
)

// hand notes the first bytes of packets, which say whose they are, and answers them.
type hand struct {
	*Conn
	from, to *Loop // where it is; to whom the connection goes behind its first packet
	got      *strings.Builder
	ended    *int
}

func (h *hand) Packet(frame []byte) error {
	h.got.WriteByte(frame[4])
	if h.to != nil {
		to, first := h.to, bytes.Clone(frame)
		h.from.Move(h.Conn, to, 1<<10, func(c *Conn) Handler {
			c.Queue(first)
			return &hand{Conn: c, from: to, got: h.got, ended: h.ended}
		})
		return nil
	}
	h.Queue(frame)
	return nil
}

func (h *hand) Framed(int)  {}
func (h *hand) Crashed(any) {}
func (h *hand) Ended(bool)  { *h.ended++ }

// mover serves a loop whose connections go to another one behind their first packet, and connects to it.
func mover(t *testing.T, other *Loop, got *strings.Builder, ended *int) (first *Loop, c net.Conn) {
	t.Helper()
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	first, err = New(nil, Handlers{Arrive: func(c *Conn) {
		c.Handler = &hand{Conn: c, from: first, to: other, got: got, ended: ended}
		c.Await(time.Minute, 1<<10)
		c.Admit()
	}})
	if err == nil {
		err = first.Listen(listener)
	}
	if err != nil {
		t.Fatal(err)
	}
	go first.Run()
	if c, err = net.Dial("tcp4", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return first, c
}

// TestMove: one loop hands a connection to another behind its first packet. Nothing is lost of what
// comes with that packet, nor of what comes later, and only the second handler hears of the end.
func TestMove(t *testing.T) {
	other, err := New(nil, Handlers{})
	if err != nil {
		t.Fatal(err)
	}
	go other.Run()
	var got strings.Builder
	var ended int
	first, c := mover(t, other, &got, &ended)
	packets := "\xF7\x77\x05\x00a\xF7\x77\x05\x00b\xF7\x77\x05\x00c"
	say := func(text string) {
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
	}
	hear := func(n int) string {
		b := make([]byte, n)
		_ = c.SetReadDeadline(time.Now().Add(testkit.Patience))
		if _, err := io.ReadFull(c, b); err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	say(packets[:12]) // and the beginning of another
	if answer := hear(10); answer != packets[:10] {
		t.Fatalf("answered % x", answer)
	}
	say(packets[12:])
	if answer := hear(5); answer != packets[10:] {
		t.Fatalf("answered % x", answer)
	}
	c.Close()
	first.Wait(func() {
		if first.Connections() != 0 {
			t.Error("the first loop still has the connection")
		}
		first.Stop(nil)
	})
	<-first.Done()
	testkit.Eventually(t, "the end of the connection", func() bool {
		open := 0
		other.Wait(func() { open = other.Connections() })
		return open == 0
	})
	other.Wait(func() { other.Stop(nil) })
	<-other.Done()
	if got.String() != "abc" || ended != 1 {
		t.Errorf("handled %q, %d ends", got.String(), ended)
	}
}

// TestMoveToTheEnded: a connection that a loop would get which has ended is closed.
func TestMoveToTheEnded(t *testing.T) {
	other, err := New(nil, Handlers{})
	if err != nil {
		t.Fatal(err)
	}
	other.Stop(nil)
	other.Run()
	first, c := mover(t, other, new(strings.Builder), new(int))
	_, _ = io.WriteString(c, "\xF7\x77\x05\x00a")
	_ = c.SetReadDeadline(time.Now().Add(testkit.Patience))
	if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("it is still open")
	} else if wait, ok := err.(net.Error); ok && wait.Timeout() {
		t.Error("it is still open")
	}
	first.Wait(func() { first.Stop(nil) })
	<-first.Done()
}
