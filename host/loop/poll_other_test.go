//go:build !linux || portable

package loop

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// TestAcceptedAtTheEnd: a connection that is accepted as the loop ends is closed.
func TestAcceptedAtTheEnd(t *testing.T) {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	over := &Loop{over: true, done: make(chan struct{})}
	close(over.done)
	p, err := System.newPoller(over)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.listen(listener); err != nil {
		t.Fatal(err)
	}
	defer p.close()
	conn, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection stays open")
	}
}
