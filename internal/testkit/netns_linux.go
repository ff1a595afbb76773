package testkit

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"w3host/internal/tier"
)

// namespaceEnv tells the test binary that it runs in a separate network namespace.
const namespaceEnv = "W3HOST_TEST_NAMESPACE"

// InNamespace runs play in a separate network namespace: it starts the test binary again with only this test
// and the requested subtests. It belongs to the full tier. The test is skipped if the system does not support
// network namespaces, or if play skips.
func InNamespace(t *testing.T, play func(*testing.T)) {
	if os.Getenv(namespaceEnv) != "" {
		if err := runAll("ip link set lo mtu 1500 up"); err != nil {
			tier.Unable(t, "needs network namespaces: %v", err)
		}
		play(t)
		return
	}
	tier.All(t, "needs network namespaces")
	_, subtests, _ := strings.Cut(flag.Lookup("test.run").Value.String(), "/")
	again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$/"+subtests, "-test.v", "-test.timeout=1h")
	again.Env = append(os.Environ(), namespaceEnv+"=1")
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if uid := os.Getuid(); uid != 0 {
		again.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		again.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		again.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	out, err := again.CombinedOutput()
	switch {
	case len(out) == 0 && err != nil:
		tier.Unable(t, "needs network namespaces, which this system does not make: %v", err)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("SKIP: %s", out) // already listed among the skipped tests
	}
	t.Logf("%s", out)
}

// Far is a thread in another network namespace, to which its sockets belong.
type Far struct {
	Namespace string
	jobs      chan func()
}

// NewFar starts the thread; it ends with the test.
func NewFar(t *testing.T) *Far {
	f := &Far{jobs: make(chan func())}
	ready := make(chan error)
	go func() { // ends with the test; the thread ends too, because it is never unlocked
		runtime.LockOSThread()
		f.Namespace = fmt.Sprintf("/proc/%d/task/%d/ns/net", os.Getpid(), unix.Gettid())
		ready <- unix.Unshare(unix.CLONE_NEWNET)
		for job := range f.jobs {
			job()
		}
	}()
	if err := <-ready; err != nil {
		tier.Unable(t, "needs network namespaces: %v", err)
	}
	t.Cleanup(func() { close(f.jobs) })
	return f
}

// Do runs job on the thread and waits for it.
func (f *Far) Do(job func()) {
	done := make(chan struct{})
	f.jobs <- func() { defer close(done); job() }
	<-done
}

// Run runs a command, given as space-separated words, and returns its output.
func Run(command string) (string, error) {
	words := strings.Fields(command)
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", command, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

func runAll(commands ...string) error {
	for _, command := range commands {
		if _, err := Run(command); err != nil {
			return err
		}
	}
	return nil
}

// Pair connects the caller's network with that of f by a pair of interfaces: 10.99.0.1 here, 10.99.0.2 there.
func (f *Far) Pair(t *testing.T) {
	err := runAll(
		"ip link add near type veth peer name far",
		"ip link set far netns "+f.Namespace,
		"ip addr add 10.99.0.1/24 dev near",
		"ip link set near up",
	)
	if err == nil {
		f.Do(func() { err = runAll("ip addr add 10.99.0.2/24 dev far", "ip link set far up") })
	}
	if err != nil {
		tier.Unable(t, "needs network namespaces: %v", err)
	}
	t.Cleanup(func() {
		if err := runAll("ip link del near"); err != nil {
			t.Error(err)
		}
	})
}

// Wire connects the caller's network with that of f by an emulated line for packets of 1500 bytes: 10.99.0.1
// here, 10.99.0.2 there. The direction to f has the rate, buffer and delay of down and loses a fraction of
// the packets; the other direction has only the delay. It requires TUN interfaces.
func (f *Far) Wire(t *testing.T, down Line, loss float64) {
	near, err := tunnel("10.99.0.1/24")
	if err != nil {
		tier.Unable(t, "needs network namespaces: %v", err)
	}
	var far *os.File
	if f.Do(func() { far, err = tunnel("10.99.0.2/24") }); err != nil {
		tier.Unable(t, "needs network namespaces: %v", err)
	}
	var carrying sync.WaitGroup
	there, back := newQueue(down), newQueue(Line{Delay: down.Delay})
	carrying.Go(func() { carryPackets(near, far, there, loss) })
	carrying.Go(func() { carryPackets(far, near, back, 0) })
	t.Cleanup(func() {
		near.Close()
		far.Close()
		carrying.Wait()
	})
}

// tunnel opens a TUN interface with an address, in the network of the calling thread.
func tunnel(addr string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq("line%d")
	if err == nil {
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err == nil {
		err = runAll("ip addr add "+addr+" dev "+request.Name(), "ip link set "+request.Name()+" txqueuelen 10000 up")
	}
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), "tun"), nil
}

// carryPackets forwards packets until one of the interfaces is closed.
func carryPackets(from, to *os.File, q *queue, loss float64) {
	start := time.Now()
	way := make(chan parcel, 1<<16)
	var delivering sync.WaitGroup
	delivering.Go(func() {
		for p := range way {
			time.Sleep(p.arrives - time.Since(start))
			_, _ = to.Write(p.data) // writing to a closed interface fails
		}
	})
	defer delivering.Wait()
	defer close(way)
	for buf := make([]byte, 2048); ; {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		now := time.Since(start)
		if q.full(now, n) {
			continue
		}
		if _, arrives := q.enter(now, n); rand.Float64() >= loss {
			way <- parcel{bytes.Clone(buf[:n]), arrives}
		}
	}
}
