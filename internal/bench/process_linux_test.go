package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// role of a process that this test starts: a holder, or the host under it.
const role = "W3HOST_BENCH_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "holder":
		host := exec.Command(os.Args[0])
		host.Env = append(os.Environ(), role+"=host")
		host.Stdout = os.Stdout
		_ = host.Run()
	case "host": // it takes connections, and much memory and time
		l, err := net.Listen("tcp4", os.Getenv(role+"_LISTEN"))
		if err != nil {
			panic(err)
		}
		defer l.Close() // so that it is not collected
		memory := make([]byte, 128<<20)
		for i := 0; ; i += 4096 {
			memory[i%len(memory)]++
		}
	default:
		os.Exit(m.Run())
	}
}

// Under a holder the host is measured, for all that is measured of one; and it ends with the holder.
func TestHostUnderAHolder(t *testing.T) {
	runtime.LockOSThread() // with its thread, those end that it has started
	defer runtime.UnlockOSThread()
	b := &bench{dir: t.TempDir()}
	p, err := b.startHost(func(ports []int, _ int) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), role+"=holder", role+"_LISTEN="+local(ports[0]))
		return cmd
	}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.end()
	metrics := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "w3host_turns_missed_total 0") }))
	defer metrics.Close()
	port := p.ports[0]
	p.ports = []int{port, 0, metrics.Listener.Addr().(*net.TCPAddr).Port}
	ended, err := p.begin()
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // the measured time
	figures, err := ended()
	if err != nil || figures.share() < 10 {
		t.Errorf("%v, it has %.1f %% of a core", err, figures.share())
	}
	if kib := peakMemory(p.host()); kib < 100<<10 {
		t.Errorf("it has %d KiB", kib)
	}
	p.end()
	if c, err := net.Dial("tcp4", local(port)); err == nil {
		c.Close()
		t.Error("the host outlives its holder")
	}
}
