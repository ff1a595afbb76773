//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"syscall"
	"time"
)

const (
	// againStandby is the pause, in looks of the watch, after a standby that has ended.
	againStandby = 10
	// quietStandby is for how many looks a standby may say nothing and still go on. A fault
	// that hangs the host may hang it, too.
	quietStandby = mostSilent - 2
)

// standby is the process that goes on when the host has died.
type standby struct {
	*child      // nil: none
	ready  bool // it has everything that it needs
	since  time.Time
}

// end ends the process, if there is one.
func (s *standby) end() {
	if s.child != nil {
		s.signal(syscall.SIGKILL)
		s.child = nil
	}
}

// keepStandby starts a standby, unless there is one or it would be in the way.
func (h *holder) keepStandby() {
	s := &h.standby
	if s.child != nil || h.order != nil || h.ending || time.Since(s.since) < againStandby*h.beat {
		return
	}
	c, err := h.start(h.program.path, verbBeStandby)
	if err != nil {
		h.Log("no standby: %v; the next attempt is in %v", err, againStandby*h.beat)
		c = nil
	}
	*s = standby{child: c, since: time.Now()}
}

// goOnWithStandby makes the standby the host in the place of one that has served and died;
// false: there is none that could go on.
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
