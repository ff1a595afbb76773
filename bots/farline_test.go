package bots

import (
	"io"
	"net"
	"testing"
	"time"

	"w3host/internal/testkit"
)

// TestFar: bytes take the line's time in either direction, and its end comes behind them.
func TestFar(t *testing.T) {
	const oneWay = 100 * time.Millisecond
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { // echoes until the other side ends
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		buf := make([]byte, 5)
		if _, err := io.ReadFull(c, buf); err == nil {
			_, _ = c.Write(buf)
		}
	}()
	host, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := far(system{}, host, oneWay)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	from := time.Now()
	if _, err := c.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(from.Add(testkit.Patience))
	all, err := io.ReadAll(c)
	if took := time.Since(from); err != nil || string(all) != "hello" || took < 2*oneWay {
		t.Errorf("%q came back after %v, want 200ms; %v", all, took, err)
	}
}
