package main

import (
	"errors"
	"os/exec"

	"golang.org/x/sys/unix"
)

// process is a host, or a holder with a host under it.
type process struct{ *exec.Cmd }

// startHost starts a host or a holder, and waits until it takes connections.
func (b *bench) startHost(cmd *exec.Cmd, ports ...int) (p process, err error) {
	p = process{cmd}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil { // to await a host whose holder has ended
		return p, err
	}
	if err := b.start(cmd); err != nil {
		return p, err
	}
	for _, port := range ports {
		err = errors.Join(err, awaitListener(port))
	}
	if err != nil {
		p.end()
	}
	return p, err
}

// host is the process that hosts games, and so is measured.
func (p process) host() int { return hostOf(p.Process.Pid) }

// end ends a host, which would outlive its holder, after it.
func (p process) end() {
	under := children(p.Process.Pid)
	_, _ = p.Process.Kill(), p.Wait()
	for _, pid := range under {
		_ = unix.Kill(pid, unix.SIGKILL)
		_, _ = unix.Wait4(pid, nil, 0, nil)
	}
}
