package testkit

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

var givenPorts sync.Map

// FreePort returns a port that is free for TCP and UDP, a different one for each
// call. It lies below the range from which kernels take the ports of outgoing
// connections: one of another test could take it before it is listened on.
func FreePort(t testing.TB) uint16 {
	t.Helper()
	for range 1000 {
		port := uint16(10_000 + rand.IntN(22_000))
		if _, given := givenPorts.LoadOrStore(port, true); given {
			continue
		}
		l, err := net.Listen("tcp4", fmt.Sprintf(":%d", port))
		if err != nil {
			continue
		}
		p, err := net.ListenPacket("udp4", fmt.Sprintf(":%d", port))
		_ = l.Close()
		if err == nil {
			_ = p.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}
