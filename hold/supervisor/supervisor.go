// Package supervisor decides what the supervisor of a host does: when it starts, signals and replaces processes, and how
// it carries out an upgrade. Machine is pure: its driver passes it the messages and ends of processes and the time, and
// carries out its orders through System and Process. Package hold is the driver for real processes.
package supervisor

import (
	"fmt"
	"slices"
	"time"
)

// Role is what a process is for.
type Role uint8

// The roles.
const (
	None      Role = iota // the process has ended, or was killed
	Host                  // it hosts, or is about to
	Candidate             // it is the new program of an upgrade, and stands by
	Standby               // it stands by in case the host dies
	Leaving               // it has handed over, and plays its remaining games to their end
)

// Message is what a process reports.
type Message uint8

// The messages. Only Ready and Busy come from processes that do not host.
const (
	IsServing   Message = iota // it has served for a while: start it again if it dies
	Alive                      // its loop runs: kill it when it becomes silent
	Ending                     // it ends in order: do not start it again
	Upgrade                    // start the program at the path in the text beside it
	Ready                      // it is able to take over
	Busy                       // it is still starting
	Done                       // it has handed over
	KeepStandby                // keep a standby in case it dies
)

// Order is what a process is told.
type Order uint8

// The orders.
const (
	Go       Order = iota // become the host
	HandOver              // the new program is ready: hand over
	Refuse                // the upgrade was refused, for the reason in the text
)

// Signal is a signal for a process.
type Signal uint8

// The signals.
const (
	Terminate Signal = iota // end in order
	Trace                   // write stack traces and end
	Kill                    // end at once
)

// Program is the executable file of a process.
type Program struct {
	Path string
	FD   int // the driver's descriptor of the file; 0: none
}

// Process is a running process. Its methods do not block.
type Process interface {
	// Tell sends an order; text is the reason of Refuse.
	Tell(o Order, text string)
	Signal(Signal)
	// Stopped reports whether a signal or a debugger has stopped the process.
	Stopped() bool
	// Program returns the file that the process runs. System.Release takes it back.
	Program() Program
}

// System starts processes. Its methods do not block.
type System interface {
	// Start starts the program at path. The driver passes the messages of the process, and then its end, to the machine
	// under the number id.
	Start(id int, path string, role Role) (Process, error)
	// IsTransient reports whether a start failed for a reason that may go away by itself, such as a lack of memory.
	IsTransient(error) bool
	// Hosts is called with each process that becomes the host, and with nil when the host has ended.
	Hosts(Process)
	Release(Program)
	Log(format string, args ...any)
}

// Options say how a Machine works.
type Options struct {
	Program Program       // of the first host
	Upgrade string        // path of the program for an upgrade without a path
	Served  bool          // an earlier supervisor has left something that the first host takes over
	Good    time.Duration // a host that served and lived at least this long is replaced at once when it dies
	Beat    time.Duration // interval between checks of the watch
}

// Machine is the supervisor. Each input carries the time since any fixed moment; the time never goes back.
type Machine struct {
	Options
	system System
	state  State
	now    time.Duration

	host    *child
	standby standby
	order   *order   // the current upgrade; nil: none
	next    *child   // its process; nil: it could not be started yet
	leaving []*child // hosts that have handed over

	program Program // the file that the host runs
	before  Program // the file of the previous host, until the upgraded host has served

	starts    attempts // to start a host, since the last serving one has ended
	lastID    int
	code      int
	err       error
	checkedAt time.Duration // time of the watch's last check
}

// child is one process.
type child struct {
	Process
	id      int
	began   time.Duration
	serving bool // it has reported that it serves
	watched bool // it has reported that its loop runs, so its silence is noticed
	silent  int  // checks of the watch since its last message
}

// New makes a machine whose first host is started by the first Tick.
func New(o Options, s System, now time.Duration) *Machine {
	m := &Machine{Options: o, system: s, program: o.Program, now: now, starts: newAttempts(now), checkedAt: now}
	m.starts.planned = true
	return m
}

// State returns the current state.
func (m *Machine) State() State { return m.state }

// Result returns the exit code of the last host, or 1 with the reason for which none could be started.
func (m *Machine) Result() (code int, err error) { return m.code, m.err }

// Role returns the role of a process.
func (m *Machine) Role(id int) Role {
	is := func(c *child) bool { return c != nil && c.id == id }
	switch {
	case is(m.host):
		return Host
	case is(m.next):
		return Candidate
	case is(m.standby.child):
		return Standby
	case slices.ContainsFunc(m.leaving, is):
		return Leaving
	}
	return None
}

// Due returns when Tick must be called at the latest.
func (m *Machine) Due() time.Duration {
	due := m.checkedAt + m.Beat
	if m.starts.planned {
		due = min(due, m.starts.due)
	}
	if m.order != nil && m.order.starts.planned {
		due = min(due, m.order.starts.due)
	}
	return due
}

// Tick does what is due.
func (m *Machine) Tick(now time.Duration) {
	m.now = now
	if m.starts.isDue(now) {
		m.startHost()
	}
	if m.order != nil && m.order.starts.isDue(now) {
		m.startNext()
	}
	if now >= m.checkedAt+m.Beat && m.state != Ended {
		m.watch()
	}
}

// Hear handles a message of a process.
func (m *Machine) Hear(now time.Duration, id int, what Message, text string) {
	m.now = now
	c := m.child(id)
	if c == nil {
		return
	}
	if c != m.host || m.state != HandingOver { // a host that hands over has one message left, Done
		c.silent = 0
	}
	switch {
	case c == m.host:
		m.obey(c, what, text)
	case what != Ready:
	case c == m.standby.child:
		m.standby.ready = true
	case c == m.next && m.state == Preparing:
		m.to(BecameReady)
		m.host.silent = 0
		m.host.Tell(HandOver, "")
	}
}

func (m *Machine) obey(c *child, what Message, text string) {
	switch what {
	case IsServing:
		m.serves(c)
	case Alive:
		c.watched = true
	case Ending:
		m.stop()
	case Upgrade:
		m.upgrade(text, c)
	case KeepStandby:
		m.keepStandby()
	case Done:
		m.takeOver()
	}
}

func (m *Machine) serves(c *child) {
	c.serving, m.Served = true, true
	if m.state == Starting {
		m.to(Served)
	}
	if m.before.Path != "" {
		m.system.Log("the host was upgraded")
		m.release(&m.before)
	}
}

// Exited handles the end of a process, after its last message.
func (m *Machine) Exited(now time.Duration, id, code int) {
	m.now = now
	switch c := m.child(id); {
	case c == nil:
	case c == m.standby.child:
		m.standby.child = nil
		m.system.Log("the standby has ended (exit code %d)", code)
	case c == m.next:
		m.next = nil
		m.refuse(fmt.Sprintf("the new program has ended before it was ready (exit code %d): what it has said is in the log", code))
	case c == m.host:
		m.system.Hosts(nil)
		m.host, m.code = nil, code
		if m.state != Stopping {
			m.cancel("the host has ended meanwhile")
			m.to(Died)
			m.replace(c, code)
		}
	default:
		m.leaving = slices.DeleteFunc(m.leaving, func(l *child) bool { return l == c })
	}
	m.emptied()
}

// Upgrade handles SIGUSR2: it starts an upgrade that nobody waits for.
func (m *Machine) Upgrade(now time.Duration) {
	m.now = now
	m.upgrade("", nil)
}

// Terminate handles SIGTERM: the hosts are told to end, and nothing is started any more.
func (m *Machine) Terminate(now time.Duration) {
	m.now = now
	if m.state == Ended {
		return
	}
	m.stop()
	if m.host != nil {
		m.host.Signal(Terminate)
	}
}

// stop makes sure that no other host is started, and ends the hosts that have handed over.
func (m *Machine) stop() {
	m.to(Told)
	m.starts.planned = false
	m.cancel("the host is to end")
	m.standby.end()
	for _, c := range m.leaving {
		c.Signal(Terminate)
	}
	m.emptied()
}

// giveUp stops starting hosts.
func (m *Machine) giveUp(code int, err error) {
	m.code, m.err = code, err
	m.to(GaveUp)
	m.emptied()
}

// emptied ends a machine that stops once no host is left.
func (m *Machine) emptied() {
	if m.state == Stopping && m.host == nil && len(m.leaving) == 0 {
		m.to(Emptied)
		m.release(&m.program)
		m.release(&m.before)
	}
}

func (m *Machine) release(p *Program) {
	m.system.Release(*p)
	*p = Program{}
}

// processes returns all processes.
func (m *Machine) processes() []*child {
	return slices.DeleteFunc(append([]*child{m.host, m.next, m.standby.child}, m.leaving...), func(c *child) bool { return c == nil })
}

// child returns a process by its number, or nil.
func (m *Machine) child(id int) *child {
	for _, c := range m.processes() {
		if c.id == id {
			return c
		}
	}
	return nil
}

func (m *Machine) start(path string, role Role) (*child, error) {
	m.lastID++
	p, err := m.system.Start(m.lastID, path, role)
	if err != nil {
		return nil, err
	}
	return &child{Process: p, id: m.lastID, began: m.now}, nil
}
