package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// process is a host, or a supervisor with a host as its child.
type process struct {
	*exec.Cmd
	ports []int
}

// startHost starts a host or supervisor in a new folder and waits until it accepts connections on the given
// number of ports.
func (b *bench) startHost(run func(ports []int, games int) *exec.Cmd, games, ports int) (p process, err error) {
	p.ports = make([]int, ports)
	for i := range p.ports {
		l, err := net.Listen("tcp4", "127.0.0.1:0") // finds a free port
		if err != nil {
			return p, err
		}
		p.ports[i] = l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
	}
	p.Cmd = run(p.ports, games)
	if p.Dir, err = os.MkdirTemp(b.dir, "host"); err != nil {
		return p, err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil { // to wait for a host whose supervisor has ended
		return p, err
	}
	if err := b.start(p.Cmd); err != nil {
		return p, err
	}
	for _, port := range p.ports {
		err = errors.Join(err, awaitListener(port))
	}
	if err != nil {
		p.end()
	}
	return p, err
}

// local returns the address of a port on this machine.
func local(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

// host returns the pid to measure: the oldest child of a supervisor, or the process itself.
func (p process) host() int {
	if list := children(p.Process.Pid); len(list) > 0 {
		return slices.Min(list)
	}
	return p.Process.Pid
}

// end ends the process and then its children, because a host outlives its supervisor.
func (p process) end() {
	under := children(p.Process.Pid)
	_, _ = p.Process.Kill(), p.Wait()
	for _, pid := range under {
		_ = unix.Kill(pid, unix.SIGKILL)
		_, _ = unix.Wait4(pid, nil, 0, nil)
	}
}
