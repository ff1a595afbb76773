package lan

import (
	"testing"
)

// TestSearchesOnly: announcements of other hosts do not reach the reader of a port; searches and
// datagrams of other protocols do.
func TestSearchesOnly(t *testing.T) {
	conn, err := bindPort(loopback, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	port := &client{t: t, conn: conn, addr: localAddr(conn)}
	c := newClient(t)
	for _, announcement := range []string{"F7 32 10 00 01 00 00 00 01 00 00 00 0B 00 00 00", "F7 33 08 00 01 00 00 00"} {
		c.send(port.addr, announcement)
	}
	for _, let := range []string{searchAny, "00 00 00 00 00 01 00 00 00 00 00 00"} {
		c.send(port.addr, let)
		port.want(let)
	}
}
