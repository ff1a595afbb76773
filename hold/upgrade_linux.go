//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"cmp"
	"fmt"

	"golang.org/x/sys/unix"
)

// program is the file that hosts are started from. A running one is kept open, so that the same is
// started again even if another file stands at its place by then.
type program struct {
	path string
	fd   int // 0: none
}

func (p *program) close() {
	if p.fd > 0 {
		_ = unix.Close(p.fd)
	}
}

// programOf is the program of a child.
func programOf(c *child) program {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/exe", c.Process.Pid), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return program{path: c.Path}
	}
	return program{path: fmt.Sprintf("/proc/self/fd/%d", fd), fd: fd}
}

// upgrade starts a program that stands by until the host hands over.
func (h *holder) upgrade(path string) {
	path = cmp.Or(path, h.Program)
	switch {
	case h.next != nil:
		h.refuseUpgrade("an upgrade is under way already")
		return
	case h.host == nil || !h.host.serving || h.ending:
		h.refuseUpgrade("the host does not serve yet, or not any more")
		return
	}
	h.standby.end() // it is of the program before
	c, err := h.start(path, verbStandBy)
	if err != nil {
		h.refuseUpgrade(err.Error())
		return
	}
	h.Log("upgrade to %s: it stands by", path)
	h.next = c
}

// refuse ends an upgrade; the host goes on.
func (h *holder) refuse(why string) {
	_ = h.next.Process.Kill()
	h.next = nil
	if h.handing && h.host != nil { // it has closed what both cannot have
		h.handing = false
		h.Log("the upgrade has failed while the host handed over: it is started again")
		_ = h.host.Process.Kill()
		return
	}
	h.refuseUpgrade(why)
}

// refuseUpgrade says why there is no upgrade.
func (h *holder) refuseUpgrade(why string) {
	h.Log("no upgrade: %s", why)
	if h.requested && h.host != nil {
		_ = send(h.host.sock, message{verb: verbRefused, text: why}, unix.MSG_DONTWAIT)
	}
}

// takeOver makes the host that stands by the one that hosts. When it is not there any more
// another is started in its place.
func (h *holder) takeOver() {
	h.leaving[h.host] = true
	h.host, h.handing = nil, false
	if h.next == nil {
		h.begin()
		return
	}
	h.before.close()
	h.before, h.program = h.program, programOf(h.next)
	h.goOnWith(h.next)
	h.next = nil
}
