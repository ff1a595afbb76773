package testkit

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"testing"
)

// A port is given once, and not while another process has it.
func TestGivenOnce(t *testing.T) {
	port := FreePort(t)
	if !given(port) {
		t.Errorf("%d is given twice", port)
	}
	if runtime.GOOS != "linux" {
		return
	}
	others := uint16(40_000 + os.Getpid()%20_000) // which FreePort does not give
	l, err := net.Listen("unix", fmt.Sprintf("@w3host-test-port-%d", others))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !given(others) {
		t.Errorf("%d is given to two processes", others)
	}
}
