//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"cmp"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// program is the executable file of a host. It is kept open, so that the same file is started again even if its path has
// been replaced.
type program struct {
	path string
	fd   int // descriptor of the file; 0: none
}

func (p *program) close() {
	if p.fd > 0 {
		_ = unix.Close(p.fd)
	}
}

// order is an upgrade under way. It ends in takeOver or in refuse.
type order struct {
	path   string
	from   *child   // the host that asked for it and gets the answer; nil: SIGUSR2 asked
	starts attempts // attempts to start the new program
}

// again returns the channel that fires when the new program must be started once more, or nil.
func (o *order) again() <-chan time.Time {
	if o == nil {
		return nil
	}
	return o.starts.again
}

// upgrade starts an upgrade to the program at path, unless one is under way.
func (h *holder) upgrade(path string, from *child) {
	switch {
	case h.order != nil:
		h.answer(from, "an upgrade is already under way")
	case h.host == nil || !h.host.serving || h.ending:
		h.answer(from, "the host does not serve yet, or not any more")
	default:
		h.standby.end() // it runs the previous program
		h.order = &order{path: cmp.Or(path, h.Program), from: from, starts: newAttempts()}
		h.startNext()
	}
}

// startNext starts the new program, which waits until the host hands over. A start is repeated if the system lacks a
// resource at the moment; any other error refuses the upgrade at once, since the old host continues anyway.
func (h *holder) startNext() {
	o := h.order
	o.starts.again = nil
	c, err := h.start(o.path, verbStandBy)
	if err == nil {
		h.Log("upgrade to %s: started, and getting ready", o.path)
		h.next = c
		return
	}
	if isTransient(err) {
		if pause, ok := o.starts.retry(); ok {
			h.Log("upgrade to %s: %v; the next attempt is in %v", o.path, err, pause)
			return
		}
	}
	h.refuse(err.Error())
}

// refuse ends the upgrade under way, if there is one; the host continues.
func (h *holder) refuse(why string) {
	o := h.order
	if o == nil {
		return
	}
	h.order = nil
	if h.next != nil {
		h.next.signal(syscall.SIGKILL)
		h.next = nil
	}
	if h.handing && !h.ending && h.host != nil { // the host has closed what both processes cannot have open
		h.handing = false
		h.Log("the upgrade has failed while the host was handing over; the host is started again")
		h.host.signal(syscall.SIGKILL)
		return
	}
	h.answer(o.from, why)
}

// answer reports why an upgrade was refused, in the log and to the host that asked for it.
func (h *holder) answer(from *child, why string) {
	h.Log("upgrade refused: %s", why)
	if from != nil && from == h.host {
		from.tell(message{verb: verbRefused, text: why})
	}
}

// takeOver makes the waiting process the serving host. If it has ended, another one is started, unless the supervisor is
// to end: then the previous host finishes its games by itself.
func (h *holder) takeOver() {
	if h.handing, h.order = false, nil; h.ending {
		return
	}
	h.leaving[h.host] = true
	h.host, h.starts = nil, newAttempts()
	if h.next == nil {
		h.begin()
		return
	}
	h.before.close()
	h.before, h.program = h.program, h.next.program()
	h.next.tell(message{verb: verbGo})
	h.goOnWith(h.next)
	h.next = nil
}
