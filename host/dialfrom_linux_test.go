package host

import (
	"net"
	"testing"
)

// dialFrom connects from 127.0.0.n: to the host another address than those of the
// clients of rig.join.
func dialFrom(t testing.TB, r *rig, n byte) *client {
	t.Helper()
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, n)}}
	nc, err := from.Dial("tcp4", r.h.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return clientOn(t, nc.(*net.TCPConn))
}
