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

// givenPorts holds, for each port given out, the listener that reserves it against other processes until this
// one ends.
var givenPorts sync.Map

// FreePort returns a port that is free for TCP and UDP and different in each call, even among concurrent test
// processes (on Linux). It is below the range of ephemeral ports; otherwise an outgoing connection of another
// test could take it first.
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

// given reports whether a test already has the port, and reserves it otherwise.
func given(port uint16) bool {
	var sign net.Listener
	if runtime.GOOS == "linux" { // Linux has abstract sockets, which are not files
		var err error
		if sign, err = net.Listen("unix", fmt.Sprintf("@w3host-test-port-%d", port)); errors.Is(err, syscall.EADDRINUSE) {
			return true
		}
	}
	_, given := givenPorts.LoadOrStore(port, sign)
	return given
}
