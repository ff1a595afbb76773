//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"errors"
	"maps"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// child is the supervisor's record of one host process.
type child struct {
	process
	began   time.Time
	serving bool      // it has reported that it serves
	watched bool      // it has reported that its loop runs, so its silence is noticed
	silent  int       // checks of the watch since its last message
	todo    []Name    // descriptors to put or drop, sent before owed
	owed    []message // messages not sent yet
}

// event is a message of a child, or its end if over is true.
type event struct {
	from *child
	message
	over bool
	code int // exit code, if over
}

// start starts the program at path as a host process. The process is sent all held descriptors, and then the message
// then.
func (h *holder) start(path string, then byte) (*child, error) {
	c := &child{began: time.Now(), todo: slices.Sorted(maps.Keys(h.held)), owed: []message{{verb: then}}}
	hear := func(m message) { h.pass(event{from: c, message: m}) }
	ended := func(code int) { h.pass(event{from: c, over: true, code: code}) }
	var err error
	c.process, err = h.launcher.launch(path, hear, ended)
	return c, err
}

func (h *holder) pass(e event) {
	select {
	case h.events <- e:
	case <-h.quit:
	}
}

// children returns the processes that must be told about every change of the held descriptors.
func (h *holder) children() []*child {
	return slices.DeleteFunc([]*child{h.host, h.next, h.standby.child}, func(c *child) bool { return c == nil })
}

// tell queues a message for a child.
func (c *child) tell(m message) { c.owed = append(c.owed, m) }

// give sends a child its queued messages until its socket is full. It never blocks, so a child that hangs delays no
// other.
func (h *holder) give(c *child) {
	for len(c.todo) > 0 {
		m := message{verb: verbPut}
		for _, n := range c.todo[:min(len(c.todo), batch)] {
			fd, ok := h.held[n]
			if !ok {
				break
			}
			m.names, m.fds = append(m.names, n), append(m.fds, fd)
		}
		if m.names == nil { // the first name is not held any more
			m = message{verb: verbDrop, names: c.todo[:1]}
		}
		if !c.takes(m) {
			return
		}
		c.todo = c.todo[len(m.names):]
	}
	for len(c.owed) > 0 && c.takes(c.owed[0]) {
		c.owed = c.owed[1:]
	}
}

// takes sends a message; false: the child's socket is full. A message that a dead child misses is sent to its successor.
func (c *child) takes(m message) bool { return !errors.Is(c.send(m), unix.EAGAIN) }

// behind returns a timer for the next call of give if a child has queued messages, and nil otherwise.
func (h *holder) behind() <-chan time.Time {
	if slices.ContainsFunc(h.children(), func(c *child) bool { return len(c.todo)+len(c.owed) > 0 }) {
		return time.After(retryGive)
	}
	return nil
}
