//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"syscall"
	"time"
)

const (
	// againStandby is the pause before a new standby is started, in checks of the watch.
	againStandby = 10
	// quietStandby is for how many checks a standby may be silent and still take over, since a fault that hangs the host
	// may hang the standby too.
	quietStandby = mostSilent - 2
)

// standby is the process that takes over when the host dies.
type standby struct {
	*child      // nil: none
	ready  bool // it has restored everything
	since  time.Time
}

// end kills the process, if there is one.
func (s *standby) end() {
	if s.child != nil {
		s.signal(syscall.SIGKILL)
		s.child = nil
	}
}

// keepStandby starts a standby, unless there is one, an upgrade is under way or the last start was too recent.
func (h *holder) keepStandby() {
	s := &h.standby
	if s.child != nil || h.order != nil || h.ending || time.Since(s.since) < againStandby*h.beat {
		return
	}
	c, err := h.start(h.program.path, verbBeStandby)
	if err != nil {
		h.Log("cannot start a standby: %v; the next attempt is in %v", err, againStandby*h.beat)
		c = nil
	}
	*s = standby{child: c, since: time.Now()}
}

// goOnWithStandby makes the standby the host in place of one that has served and died; false: no standby is able to.
func (h *holder) goOnWithStandby(died *child) bool {
	c, ready := h.standby.child, h.standby.ready
	if c == nil || !ready || c.silent >= quietStandby || !died.serving || h.ending || h.before.path != "" {
		h.standby.end()
		return false
	}
	h.standby = standby{}
	h.starts = newAttempts()
	c.tell(message{verb: verbGo})
	h.goOnWith(c)
	return true
}
