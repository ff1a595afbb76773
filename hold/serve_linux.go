//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"w3host/hold/supervisor"
)

// retryGive is the pause before messages are sent again to a host whose socket was full.
const retryGive = 5 * time.Millisecond

// holder is the supervisor process: it carries out what a supervisor.Machine decides, and keeps the descriptors. Its
// state belongs to the goroutine of serve.
type holder struct {
	Options
	machine  *supervisor.Machine
	launcher launcher
	held     fdSet
	store    fdStore // nil: everything held ends with this process

	good time.Duration // see supervisor.Options
	beat time.Duration

	began     time.Time
	processes map[int]*child // by the numbers of the machine, until they have ended
	events    chan event
	quit      chan struct{} // closed when events are no longer read
}

// Serve runs the supervisor: it starts a host, and another one whenever it dies, until one ends in order or starts keep
// failing. It blocks until then and returns the exit code of the last host.
func Serve(o Options) (code int, err error) {
	if os.Getpid() == 1 {
		go reapOrphans()
	}
	h := newHolder(o)
	if h.store, err = openFDStore(o.FDStore, h.held, o.Log); err != nil {
		return 1, err
	}
	starts := &system{command: o.Command}
	if r, ok := h.store.(remote); ok {
		starts.store = r.file
	}
	h.launcher = starts
	return h.serve("/proc/self/exe")
}

func newHolder(o Options) *holder {
	return &holder{
		Options: o, held: fdSet{}, processes: map[int]*child{}, events: make(chan event), quit: make(chan struct{}),
		good: time.Second, beat: time.Second, began: time.Now(),
	}
}

// serve runs the machine; the first host runs the given program.
func (h *holder) serve(program string) (code int, err error) {
	defer func() {
		close(h.quit)
		for name := range h.held {
			h.drop(name)
		}
	}()
	o := supervisor.Options{Program: supervisor.Program{Path: program}, Upgrade: h.Program, Served: len(h.held) > 0, Good: h.good, Beat: h.beat}
	if o.Served {
		h.Log("the previous supervisor has left %d descriptors", len(h.held))
	}
	h.machine = supervisor.New(o, machineSystem{h}, h.now())
	h.machine.Tick(h.now())
	due := time.NewTimer(h.beat)
	defer due.Stop()
	for h.machine.State() != supervisor.Ended {
		select {
		case e := <-h.events:
			h.handle(e)
		case sig := <-h.Signals:
			h.signal(sig)
		case <-due.C:
			h.machine.Tick(h.now())
		case <-h.behind(): // a host's socket may have room again
		}
		for _, c := range h.informed() {
			h.give(c)
		}
		due.Reset(h.machine.Due() - h.now())
	}
	return h.machine.Result()
}

func (h *holder) now() time.Duration { return time.Since(h.began) }

// signal handles a signal: it is passed to the host, except SIGUSR2, which starts an upgrade.
func (h *holder) signal(sig os.Signal) {
	switch sig {
	case syscall.SIGUSR2:
		h.machine.Upgrade(h.now())
	case syscall.SIGTERM:
		h.machine.Terminate(h.now())
	default:
		for id, c := range h.processes {
			if h.machine.Role(id) == supervisor.Host {
				c.signal(sig)
			}
		}
	}
}

// handle passes a message of a host process, or the news that the process has ended, to the supervisor's machine. Messages about
// held descriptors are carried out here.
func (h *holder) handle(e event) {
	if e.over {
		delete(h.processes, e.from)
		h.machine.Exited(h.now(), e.from, e.code)
		return
	}
	if (e.verb == verbPut || e.verb == verbDrop) && h.machine.Role(e.from) == supervisor.Host {
		h.update(e)
		return
	}
	for _, fd := range e.fds {
		_ = unix.Close(fd)
	}
	if what, ok := heard[e.verb]; ok {
		h.machine.Hear(h.now(), e.from, what, e.text)
	}
}

// update puts or drops descriptors as the host has reported it, and informs the processes that stand by.
func (h *holder) update(e event) {
	for i, n := range e.names {
		h.drop(n)
		if i < len(e.fds) {
			h.hold(n, e.fds[i])
		}
		for _, c := range h.informed() {
			if c != h.processes[e.from] {
				c.todo = append(c.todo, n)
			}
		}
	}
}

func (h *holder) hold(n Name, fd int) {
	h.held[n] = fd
	if h.store != nil {
		h.lost(h.store.put(n, fd))
	}
}

func (h *holder) drop(n Name) {
	if h.held.drop(n) && h.store != nil {
		h.lost(h.store.drop(n))
	}
}

// lost stops using the store after an error.
func (h *holder) lost(err error) {
	if err != nil {
		h.Log("the file descriptor store is lost, so games would not survive the end of this supervisor: %v", err)
		h.store = nil
	}
}
