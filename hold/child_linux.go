//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"errors"
	"maps"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// child is a host process as the holder keeps track of it.
type child struct {
	process
	began   time.Time
	serving bool      // it has said so
	watched bool      // it says that its loop goes round
	silent  int       // looks of the watch since it has said anything
	todo    []Name    // descriptors to put or drop, ahead of owed
	owed    []message // not sent yet
}

// event is a message of a child, or its end.
type event struct {
	from *child
	message
	over bool
	code int // the exit code
}

// start starts a program as a host. The process is given all descriptors, and then the verb.
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

// children are the processes that know the things held.
func (h *holder) children() []*child {
	return slices.DeleteFunc([]*child{h.host, h.next, h.standby.child}, func(c *child) bool { return c == nil })
}

// tell queues a message for a child.
func (c *child) tell(m message) { c.owed = append(c.owed, m) }

// give sends a child its queued messages, until it takes no more: a child that hangs delays nobody else.
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
		if m.names == nil { // the first is not held any more
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

// takes sends a message; false: the child has no room for it yet. A message that a dead child does not
// get is given to the next.
func (c *child) takes(m message) bool { return !errors.Is(c.send(m), unix.EAGAIN) }

// behind returns a timer for the next give, if a child has queued messages.
func (h *holder) behind() <-chan time.Time {
	if slices.ContainsFunc(h.children(), func(c *child) bool { return len(c.todo)+len(c.owed) > 0 }) {
		return time.After(retryGive)
	}
	return nil
}
