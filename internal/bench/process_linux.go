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

// process is a host, or a holder with a host under it.
type process struct {
	*exec.Cmd
	ports []int
}

// startHost starts a host or a holder in a folder of its own, and waits until it takes connections on so many
// ports.
func (b *bench) startHost(run func(ports []int, games int) *exec.Cmd, games, ports int) (p process, err error) {
	p.ports = make([]int, ports)
	for i := range p.ports {
		l, err := net.Listen("tcp4", "127.0.0.1:0") // for a free one
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
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil { // to await a host whose holder has ended
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

// local is the address of a port of this machine.
func local(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

// host is the process that hosts games, and so is measured: the oldest of a holder's children; a host that has none
// is its own.
func (p process) host() int {
	if list := children(p.Process.Pid); len(list) > 0 {
		return slices.Min(list)
	}
	return p.Process.Pid
}

// end ends a host, which would outlive its holder, after it.
func (p process) end() {
	under := children(p.Process.Pid)
	_, _ = p.Process.Kill(), p.Wait()
	for _, pid := range under {
		_ = unix.Kill(pid, unix.SIGKILL)
		_, _ = unix.Wait4(pid, nil, 0, nil)
	}
}
