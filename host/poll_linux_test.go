//go:build !portable

package host

import (
	"net"
	"testing"
	"time"
)

// TestWaited: the kernel tells for how long a packet has been there, so that a
// round trip does not count the time until it is read.
func TestWaited(t *testing.T) {
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp4", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	f, err := conn.(*net.TCPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	sent := time.Now()
	if _, err := client.Write([]byte("pong")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(60 * time.Millisecond)
	waited := (&fdSocket{fd: int(f.Fd())}).waited()
	if most := time.Since(sent); waited < 50*time.Millisecond || waited > most+10*time.Millisecond {
		t.Errorf("waited %v, want 60 ms to %v: the kernel counts in ticks of up to 10 ms", waited, most)
	}
}
