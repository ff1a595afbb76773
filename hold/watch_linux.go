//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"fmt"
	"maps"
	"slices"
	"syscall"
	"time"
)

// Limits of the watch, in checks; there is one check a second.
const (
	// A host's loop reports many times a second. One that has been silent this long is stuck: the loop never waits for a
	// disk or a database, and a busy machine delays it much less. Players leave after 65 s.
	mostSilent = 10
	// A stuck host writes Go's stack traces within this time after SIGQUIT.
	lastWords = 2
	// Starting and restoring games may take as long as players wait.
	mostStarting = 60
	// Closing lobbies, pages and files takes a second or two.
	mostHanding = 30
)

// watch counts how long processes have been silent, and kills those that are stuck. Processes stopped by a signal or a
// debugger do not count, nor does time in which the supervisor was stopped too.
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
		h.standby.end() // another one is started on request
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

// endSilent kills a host that has been silent for most checks.
func (h *holder) endSilent(c *child, most int, what string) {
	switch c.silent {
	case most:
		h.Log("the host %s for %v: it is killed", what, time.Duration(most)*h.beat)
		c.signal(syscall.SIGQUIT) // makes the host write its stack traces
	case most + lastWords:
		c.signal(syscall.SIGKILL)
	}
}
