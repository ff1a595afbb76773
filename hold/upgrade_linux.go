//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"cmp"
	"syscall"
	"time"

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

// order is an upgrade under way. It ends in takeOver or in refuse.
type order struct {
	path   string
	from   *child   // the host that asked for it and is owed the answer; nil: SIGUSR2
	starts attempts // of the new program, as long as it does not run
}

// again returns when the new program is started once more.
func (o *order) again() <-chan time.Time {
	if o == nil {
		return nil
	}
	return o.starts.again
}

// upgrade takes the order for an upgrade, unless one is under way.
func (h *holder) upgrade(path string, from *child) {
	switch {
	case h.order != nil:
		h.answer(from, "an upgrade is under way already")
	case h.host == nil || !h.host.serving || h.ending:
		h.answer(from, "the host does not serve yet, or not any more")
	default:
		h.standby.end() // it is of the program before
		h.order = &order{path: cmp.Or(path, h.Program), from: from, starts: newAttempts()}
		h.startNext()
	}
}

// startNext starts the program of the upgrade, which stands by until the host hands over. A start is
// repeated if the system lacks something at the moment; any other fault refuses the upgrade at once,
// since the host goes on anyway.
func (h *holder) startNext() {
	o := h.order
	o.starts.again = nil
	c, err := h.start(o.path, verbStandBy)
	if err == nil {
		h.Log("upgrade to %s: it stands by", o.path)
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

// refuse ends the upgrade under way, if there is one; the host goes on.
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
	if h.handing && !h.ending && h.host != nil { // it has closed what both cannot have
		h.handing = false
		h.Log("the upgrade has failed while the host handed over: it is started again")
		h.host.signal(syscall.SIGKILL)
		return
	}
	h.answer(o.from, why)
}

// answer says why there is no upgrade: to the log, and to the host that asked for it.
func (h *holder) answer(from *child, why string) {
	h.Log("no upgrade: %s", why)
	if from != nil && from == h.host {
		from.tell(message{verb: verbRefused, text: why})
	}
}

// takeOver makes the host that stands by the one that hosts. If that one has ended, another is started in
// its place, unless the holder is to end: then the host before ends its games by itself.
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
