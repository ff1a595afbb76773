package testkit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"syscall"
	"testing"
)

// givenPorts has for each port what keeps it from other processes, until this one ends.
var givenPorts sync.Map

// FreePort returns a port that is free for TCP and UDP, a different one for each
// call, also of tests that run at the same time in another process (Linux). It lies below the range
// from which kernels take the ports of outgoing connections: one of another test could take it before
// it is listened on.
func FreePort(t testing.TB) uint16 {
	t.Helper()
	for range 1000 {
		port := uint16(10_000 + rand.IntN(22_000))
		if given(port) {
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

// given reports whether a test has the port already; otherwise it has from now on.
func given(port uint16) bool {
	var sign net.Listener
	if runtime.GOOS == "linux" { // which has names of sockets that are no files
		var err error
		if sign, err = net.Listen("unix", fmt.Sprintf("@w3host-test-port-%d", port)); errors.Is(err, syscall.EADDRINUSE) {
			return true
		}
	}
	_, given := givenPorts.LoadOrStore(port, sign)
	return given
}
