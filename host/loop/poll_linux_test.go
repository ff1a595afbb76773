//go:build !portable

package loop

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

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

// beats is an owner that wants a tick each so often, and notes how late they are.
type beats struct {
	loop  *Loop
	group *Group
	every time.Duration
	at    time.Duration
	do    func()
	late  []time.Duration
}

func (b *beats) Next() (time.Duration, bool) { return b.at, true }

func (b *beats) Tick() {
	late := time.Since(b.loop.Began()) - b.at
	b.late = append(b.late, late)
	b.at += late.Truncate(b.every) + b.every
	b.group.Touch()
	if b.do != nil {
		b.do()
	}
}

// TestProcessorIsKept: deadlines of a loop that keeps a processor are not late where other goroutines compute all the time.
func TestProcessorIsKept(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var over atomic.Bool
	defer over.Store(true)
	for range 4 {
		go func() {
			for !over.Load() {
			}
		}()
	}
	processors := 0 // while a loop runs
	run := func(keeps bool, every time.Duration) (median, keepUntil time.Duration) {
		l, err := New(nil, Handlers{})
		if err != nil {
			t.Fatal(err)
		}
		if keeps {
			l.KeepProcessor()
		}
		b := &beats{loop: l, every: every, at: every}
		b.group = l.Group(b, 1)
		b.group.Touch()
		l.settle()
		time.AfterFunc(time.Second, func() {
			l.Call(func() {
				processors = runtime.GOMAXPROCS(0)
				l.CloseGroup(b.group)
				l.Stop(nil)
			})
		})
		l.Run()
		slices.Sort(b.late)
		return b.late[len(b.late)/2], l.poll.(*systemPoller).keepUntil
	}
	keeps, _ := run(true, 2*time.Millisecond)
	if processors != 2 {
		t.Errorf("%d processors while one is kept, want one more than before", processors)
	}
	not, _ := run(false, 2*time.Millisecond)
	t.Logf("the median is late by %v, and by %v where the processor is not kept", keeps, not)
	if keeps > not/4 {
		t.Errorf("late by %v, want a quarter of %v at most", keeps, not)
	}
	if _, until := run(true, 4*shortWait); until == 0 {
		t.Error("a loop that seldom has something to do does not keep the processor once it was woken late")
	}
	if n := runtime.GOMAXPROCS(0); n != 1 {
		t.Errorf("%d processors behind it, want 1", n)
	}
}

// TestKeptProcessorIsGivenBack: the garbage collector, which stops all goroutines for a moment, does not wait until a loop
// that keeps a processor has something to do.
func TestKeptProcessorIsGivenBack(t *testing.T) {
	l, err := New(nil, Handlers{})
	if err != nil {
		t.Fatal(err)
	}
	l.KeepProcessor()
	l.poll.(*systemPoller).keepUntil = time.Hour
	b := &beats{loop: l, every: time.Second, at: time.Second}
	b.group = l.Group(b, 1)
	b.group.Touch()
	l.settle()
	go l.Run()
	began := time.Now()
	for range 5 {
		l.Wait(func() {})
		runtime.GC()
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("five collections took %v", took)
	}
	l.Call(func() {
		l.CloseGroup(b.group)
		l.Stop(nil)
	})
	<-l.Done()
}

// TestProcessorIsKeptFromNobody: a loop that keeps a processor does so in a thread that had waited for what all goroutines
// wait for. Another one waits for that now.
func TestProcessorIsKeptFromNobody(t *testing.T) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[0])
	reader := os.NewFile(uintptr(ends[1]), "reader")
	defer reader.Close()
	l, err := New(nil, Handlers{})
	if err != nil {
		t.Fatal(err)
	}
	l.KeepProcessor()
	b := &beats{loop: l, every: 10 * time.Millisecond, at: 300 * time.Millisecond, do: func() { // when all of the runtime sleeps
		l.poll.(*systemPoller).keepUntil = time.Hour
		_, _, _ = unix.RawSyscall(unix.SYS_WRITE, uintptr(ends[0]), uintptr(unsafe.Pointer(&[]byte{1}[0])), 1) // so that the runtime has no news of it
	}}
	b.group = l.Group(b, 1)
	b.group.Touch()
	l.settle()
	read := make(chan error)
	go func() {
		var b [1]byte
		for range 20 {
			if _, err := reader.Read(b[:]); err != nil {
				read <- err
			}
		}
		read <- nil
	}()
	go l.Run()
	select {
	case err := <-read:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("a goroutine that waits for bytes is not woken")
	}
	l.Call(func() {
		l.CloseGroup(b.group)
		l.Stop(nil)
	})
	<-l.Done()
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
