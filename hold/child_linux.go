//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"errors"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"w3host/hold/supervisor"
)

// The machine's words for messages, orders and signals.
var (
	heard = map[byte]supervisor.Message{
		verbServing: supervisor.IsServing, verbAlive: supervisor.Alive, verbEnding: supervisor.Ending, verbUpgrade: supervisor.Upgrade,
		verbReady: supervisor.Ready, verbBusy: supervisor.Busy, verbDone: supervisor.Done, verbKeepStandby: supervisor.KeepStandby,
	}
	orders  = map[supervisor.Order]byte{supervisor.Go: verbGo, supervisor.HandOver: verbHandOver, supervisor.Refuse: verbRefused}
	begins  = map[supervisor.Role]byte{supervisor.Host: verbGo, supervisor.Candidate: verbStandBy, supervisor.Standby: verbBeStandby}
	signals = map[supervisor.Signal]os.Signal{
		supervisor.Terminate: syscall.SIGTERM, supervisor.Trace: syscall.SIGQUIT, supervisor.Kill: syscall.SIGKILL,
	}
)

// machineSystem implements supervisor.System.
type machineSystem struct{ *holder }

func (h machineSystem) Log(format string, args ...any) { h.Options.Log(format, args...) }

// Start starts the program at path as a host process. The process is sent all held descriptors, and then its role.
func (h machineSystem) Start(id int, path string, role supervisor.Role) (supervisor.Process, error) {
	c := &child{todo: slices.Sorted(maps.Keys(h.held)), owed: []message{{verb: begins[role]}}}
	hear := func(m message) { h.pass(event{from: id, message: m}) }
	ended := func(code int) { h.pass(event{from: id, over: true, code: code}) }
	var err error
	if c.process, err = h.launcher.launch(path, hear, ended); err != nil {
		return nil, err
	}
	h.processes[id] = c
	return c, nil
}

func (machineSystem) IsTransient(err error) bool { return isTransient(err) }

func (h machineSystem) Hosts(p supervisor.Process) {
	if p == nil {
		if h.Ended != nil {
			h.Ended()
		}
	} else if err := h.Started(p.(*child).pid()); err != nil {
		h.Log("%v", err)
	}
}

func (machineSystem) Release(p supervisor.Program) {
	if p.FD > 0 {
		_ = unix.Close(p.FD)
	}
}

// child is one host process; it implements supervisor.Process.
type child struct {
	process
	todo []Name    // descriptors to put or drop, sent before owed
	owed []message // messages not sent yet
}

// Tell queues an order. A message that a dead process misses is sent to its successor.
func (c *child) Tell(o supervisor.Order, text string) {
	c.owed = append(c.owed, message{verb: orders[o], text: text})
}

func (c *child) Signal(s supervisor.Signal) { c.signal(signals[s]) }

// event is a message of a process, or its end if over is true.
type event struct {
	from int // number of the process
	message
	over bool
	code int // exit code, if over
}

func (h *holder) pass(e event) {
	select {
	case h.events <- e:
	case <-h.quit:
	}
}

// informed returns the processes that must be told about every change of the held descriptors: the host and those that
// stand by.
func (h *holder) informed() (list []*child) {
	for _, id := range slices.Sorted(maps.Keys(h.processes)) {
		if role := h.machine.Role(id); role != supervisor.None && role != supervisor.Leaving {
			list = append(list, h.processes[id])
		}
	}
	return list
}

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

// takes sends a message; false: the child's socket is full.
func (c *child) takes(m message) bool { return !errors.Is(c.send(m), unix.EAGAIN) }

// behind returns a timer for the next call of give if a child has queued messages, and nil otherwise.
func (h *holder) behind() <-chan time.Time {
	if slices.ContainsFunc(h.informed(), func(c *child) bool { return len(c.todo)+len(c.owed) > 0 }) {
		return time.After(retryGive)
	}
	return nil
}
