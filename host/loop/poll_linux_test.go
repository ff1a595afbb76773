//go:build !portable

package loop

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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
	waited := (&fdSocket{fd: int(f.Fd())}).Waited()
	if most := time.Since(sent); waited < 50*time.Millisecond || waited > most+10*time.Millisecond {
		t.Errorf("waited %v, want 60 ms to %v: the kernel counts in ticks of up to 10 ms", waited, most)
	}
}

// listen gives the loop a listener.
func listen(t *testing.T, l *Loop) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err == nil {
		t.Cleanup(func() { _ = ln.Close() })
		err = l.Listen(ln.(*net.TCPListener))
	}
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// TestAcceptingIsBounded: one pass accepts passAccepts connections of a listener, and the
// next ones the others.
func TestAcceptingIsBounded(t *testing.T) {
	arrived := 0
	l, err := New(nil, Handlers{Arrive: func(c *Conn) {
		arrived++
		c.Handler = &fake{Conn: c}
		c.Await(time.Minute, 1<<10)
	}})
	if err != nil {
		t.Fatal(err)
	}
	ln := listen(t, l)
	const all = 2*passAccepts + 5
	for range all {
		c, err := net.Dial("tcp4", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	for pass := 1; pass <= 3; pass++ {
		l.pass()
		if want := min(pass*passAccepts, all); arrived != want {
			t.Errorf("pass %d: %d connections have arrived, want %d", pass, arrived, want)
		}
	}
	l.Call(func() { l.Stop(nil) })
	l.Run()
}

// TestAcceptingAfterAFault: the system reports that there are no file descriptors also where nobody waits to be
// accepted. Whoever comes later is accepted.
func TestAcceptingAfterAFault(t *testing.T) {
	arrived, faults := 0, 0
	l, err := New(nil, Handlers{
		Arrive: func(c *Conn) {
			arrived++
			c.Handler = &fake{Conn: c}
			c.Await(time.Minute, 1<<10)
		},
		CannotAccept: func(error, time.Duration) { faults++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	ln := listen(t, l)
	connect := func() {
		c, err := net.Dial("tcp4", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
	}
	connect()
	leaveOneDescriptor(t, func() { l.pass() })
	if arrived != 1 || faults != 1 {
		t.Fatalf("%d connections have arrived, %d faults", arrived, faults)
	}
	for l.poll.next() != never { // the pause, and that nobody waits
		l.pass()
	}
	connect()
	if l.pass(); arrived != 2 {
		t.Error("a connection that came after the fault is not accepted")
	}
	l.Call(func() { l.Stop(nil) })
	l.Run()
}

// leaveOneDescriptor runs do while the process may open but one more file.
func leaveOneDescriptor(t *testing.T, do func()) {
	t.Helper()
	next, err := unix.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(next)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(next) + 1, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	do()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
}

// TestCallAfterTheEnd: what is asked of a loop that has ended writes nothing to the
// file that has got the descriptor of its event.
func TestCallAfterTheEnd(t *testing.T) {
	l, err := New(nil, Handlers{})
	if err != nil {
		t.Fatal(err)
	}
	event := l.poll.(*systemPoller).event
	l.Call(func() { l.Stop(nil) })
	l.Run()
	name := filepath.Join(t.TempDir(), "database")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if int(f.Fd()) != event {
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, event)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		if fd != event {
			t.Skipf("SKIPPED: descriptor %d is taken already", event)
		}
	}
	l.Call(func() { t.Error("called") })
	if info, err := os.Stat(name); err != nil || info.Size() > 0 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}
