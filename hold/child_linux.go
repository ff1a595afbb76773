//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// child is the process of a host.
type child struct {
	*exec.Cmd
	sock    int
	began   time.Time
	serving bool // it has said so
	watched bool // it says that its loop goes round
	silent  int  // looks of the watch since it has said anything
	todo    []Name
	then    byte // the verb that follows when it has been given all of todo; 0: none
}

// event is a message of a child, or its end.
type event struct {
	from *child
	message
	over bool
}

// start runs a program as a host. It is given everything, and told then how it stands.
func (h *holder) start(path string, then byte) (*child, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "holder")
	c := &child{Cmd: h.Command(path), sock: pair[0], began: time.Now(), then: then, todo: slices.Sorted(maps.Keys(h.held))}
	c.ExtraFiles = []*os.File{theirs}
	if r, ok := h.vault.(remote); ok { // so that it waits for the end of this host, too
		c.ExtraFiles = append(c.ExtraFiles, r.file)
	}
	c.Env = append(c.Environ(), socketEnv+"="+strconv.Itoa(version))
	err = c.Start()
	if err = errors.Join(err, theirs.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot start a host: %w", err), unix.Close(c.sock))
	}
	heard := make(chan struct{})
	go func() { // ends when the host has hung up, or has ended
		defer close(heard)
		for {
			m, err := receive(c.sock)
			if err != nil {
				return
			}
			h.pass(event{from: c, message: m})
		}
	}()
	go func() { // ends with the host
		_ = c.Wait()
		_ = unix.Shutdown(c.sock, unix.SHUT_RDWR)
		<-heard
		h.pass(event{from: c, over: true})
		_ = unix.Close(c.sock)
	}()
	return c, nil
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

// give passes on the messages that a child is owed, as far as it reads: one that hangs stops nobody.
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
		if h.say(c, m) {
			return
		}
		c.todo = c.todo[len(m.names):]
	}
	if c.then != 0 && !h.say(c, message{verb: c.then}) {
		c.then = 0
	}
}

// say reports whether the child has no room for the message yet. A message that a dead
// child does not get is given to the next.
func (*holder) say(c *child, m message) (later bool) {
	return errors.Is(send(c.sock, m, unix.MSG_DONTWAIT), unix.EAGAIN)
}

// behind comes when a child may have room again for the messages it is owed.
func (h *holder) behind() <-chan time.Time {
	if slices.ContainsFunc(h.children(), func(c *child) bool { return len(c.todo) > 0 || c.then != 0 }) {
		return time.After(retryGive)
	}
	return nil
}
