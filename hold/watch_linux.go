//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"fmt"
	"maps"
	"slices"
	"syscall"
	"time"
)

// The limits of the watch, in looks, of which there is one a second.
const (
	// A loop passes many times a second. One that has not for so long stands still for
	// good, and players give up after 65 s; a disk or a database is never waited for on
	// it, and what a busy machine holds up is much shorter.
	mostSilent = 10
	// A host that stands still writes Go's traces within that.
	lastWords = 2
	// To start, and to make games again, may take as long as players wait.
	mostStarting = 60
	// To end lobbies, pages and files takes a second or two.
	mostHanding = 30
)

// watch counts for how long hosts have been silent, and kills those that stand still. A
// host that was stopped by a signal or a debugger does not count, nor does time in which
// the holder was stopped as well.
func (h *holder) watch() {
	gap := time.Since(h.checkedAt)
	h.checkedAt = time.Now()
	for _, c := range slices.AppendSeq(h.children(), maps.Keys(h.leaving)) {
		if c.silent++; gap > 2*h.beat+h.beat/2 || c.stopped() {
			c.silent = 0
		}
	}
	if c := h.next; c != nil && c.silent >= mostSilent {
		h.refuse(fmt.Sprintf("the new program hangs: it has said nothing for %v", mostSilent*h.beat))
	}
	if c := h.standby.child; c != nil && c.silent >= mostSilent {
		h.standby.end() // another one is started
	}
	for c := range h.leaving {
		if c.watched {
			h.endSilent(c, mostSilent, "stands still")
		}
	}
	c := h.host
	if c == nil {
		return
	}
	most, what := mostStarting, "has not come to serve"
	switch {
	case h.handing:
		most, what = mostHanding, "has not handed over"
	case c.watched:
		most, what = mostSilent, "stands still"
	case c.serving || !h.served:
		return
	}
	h.endSilent(c, most, what)
}

// endSilent kills a host that has said nothing for so many looks.
func (h *holder) endSilent(c *child, most int, what string) {
	switch c.silent {
	case most:
		h.Log("the host %s for %v: it is killed", what, time.Duration(most)*h.beat)
		c.signal(syscall.SIGQUIT) // it says where its goroutines are
	case most + lastWords:
		c.signal(syscall.SIGKILL)
	}
}
