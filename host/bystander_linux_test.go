package host

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// namespaceEnv tells the test binary that it runs in a network of its own.
const namespaceEnv = "W3HOST_TEST_NAMESPACE"

// TestBystanderInNamespaces plays TestBystander over a network with packets of
// 1500 bytes: a namespace for the host and one for the bystander, with a pair of
// interfaces between them, of which the host's is shaped. It is the test binary
// again, in the first of them; both are gone with it.
func TestBystanderInNamespaces(t *testing.T) {
	if os.Getenv(namespaceEnv) != "" {
		inNamespaces(t)
		return
	}
	t.Parallel()
	again := exec.Command(os.Args[0], "-test.run=^TestBystanderInNamespaces$", "-test.v")
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
		t.Skipf("NOT TESTED over a real network: this system makes no network namespaces: %v", err)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("NOT TESTED over a real network:\n%s", out)
	}
	t.Logf("%s", out)
}

func inNamespaces(t *testing.T) {
	if err := run("ip", "link", "set", "lo", "mtu", "1500", "up"); err != nil {
		t.Skip(err)
	}
	far := newFarSide(t)
	for _, command := range []string{
		"ip link add near type veth peer name far",
		"ip link set far netns " + far.namespace,
		"ip addr add 10.99.0.1/24 dev near",
		"ip link set near up",
	} {
		if err := run(strings.Fields(command)...); err != nil {
			t.Skip(err)
		}
	}
	far.do(func() {
		for _, command := range []string{"ip addr add 10.99.0.2/24 dev far", "ip link set far up"} {
			if err := run(strings.Fields(command)...); err != nil {
				t.Error(err)
			}
		}
	})
	bystanders(t, func(t *testing.T, r *rig, rate int64) *net.TCPConn {
		shape := fmt.Sprintf("tc qdisc replace dev near root tbf rate %dbit burst 10kb latency 200ms", 8*rate)
		if err := run(strings.Fields(shape)...); err != nil {
			t.Skip(err)
		}
		var nc net.Conn
		var err error
		far.do(func() { nc, err = net.Dial("tcp4", fmt.Sprintf("10.99.0.1:%d", r.h.Addr().Port())) })
		if err != nil {
			t.Fatal(err)
		}
		return nc.(*net.TCPConn)
	})
}

// farSide is a thread in a network of its own. What it opens belongs there.
type farSide struct {
	namespace string
	jobs      chan func()
}

func newFarSide(t *testing.T) *farSide {
	f := &farSide{jobs: make(chan func())}
	ready := make(chan error)
	go func() { // ends with the test, and its thread with it: it is never unlocked
		runtime.LockOSThread()
		f.namespace = fmt.Sprintf("/proc/self/task/%d/ns/net", unix.Gettid())
		ready <- unix.Unshare(unix.CLONE_NEWNET)
		for job := range f.jobs {
			job()
		}
	}()
	if err := <-ready; err != nil {
		t.Skip(err)
	}
	f.namespace = strings.Replace(f.namespace, "self", fmt.Sprint(os.Getpid()), 1)
	t.Cleanup(func() { close(f.jobs) })
	return f
}

func (f *farSide) do(job func()) {
	done := make(chan struct{})
	f.jobs <- func() { defer close(done); job() }
	<-done
}

func run(command ...string) error {
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, out)
	}
	return nil
}
