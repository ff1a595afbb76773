package loop

import (
	"maps"
	"net"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"w3host/internal/simnet"
)

// Memory is the in-memory Network of one simulated process, for tests. In a bubble of
// testing/synctest, hosts and players run in virtual time. Kill ends the process.
type Memory struct {
	*simnet.Net
	// Step, if not nil, is called before each simulated system call. If it returns true, the
	// process is killed there.
	Step func() bool
	// Held says that another process has copies of the listeners.
	Held bool

	dead    atomic.Bool
	passing atomic.Int32         // loops that are in a pass
	files   map[*simnet.Conn]int // what the process has, and when it came; guarded by the lock of the network
	given   int
	pollers []*memPoller // likewise
}

// mostPasses is the number of passes at one instant beyond which the loop counts as spinning.
const mostPasses = 100_000

// ready is the list of sockets that are ready, in the order in which they became so.
type ready struct{ list []*memSocket }

// NewMemory returns a process on a network.
func NewMemory(n *simnet.Net) *Memory { return &Memory{Net: n, files: map[*simnet.Conn]int{}} }

// Give gives the process a connection, which it may adopt.
func (m *Memory) Give(fd int) { m.own(m.File(fd)) }

func (m *Memory) own(c *simnet.Conn) {
	m.Locked(func() {
		if m.files[c] == 0 {
			m.given++
			m.files[c] = m.given
		}
	})
}

// disown removes a connection from the process. It returns false if the process is dead.
func (m *Memory) disown(c *simnet.Conn) bool {
	if m.dead.Load() {
		return false
	}
	m.Locked(func() { delete(m.files, c) })
	return true
}

func (m *Memory) newPoller(l *Loop) (poller, error) {
	p := &memPoller{m: m, loop: l, own: new(ready), news: make(chan struct{}, 1)}
	m.Locked(func() { m.pollers = append(m.pollers, p) })
	return p, nil
}

// Reset implements Network.
func (m *Memory) Reset(fd int) {
	if m.step(); m.disown(m.File(fd)) {
		m.File(fd).Reset()
	}
}

// Release implements Network.
func (m *Memory) Release(fd int) {
	if m.step(); m.disown(m.File(fd)) {
		_ = m.File(fd).Close()
	}
}

// Kill ends the process at once, like SIGKILL: its loops end, its sockets are closed, and nothing
// that its goroutines still do has an effect.
func (m *Memory) Kill() {
	if m.dead.Swap(true) {
		return
	}
	var open []*simnet.Conn
	var listeners []net.Listener
	m.Locked(func() {
		open = slices.SortedFunc(maps.Keys(m.files), func(a, b *simnet.Conn) int { return m.files[a] - m.files[b] })
		for _, p := range m.pollers {
			for _, l := range p.listeners {
				if !m.Held {
					listeners = append(listeners, l)
				}
			}
			p.wakeUp()
		}
	})
	for _, c := range open { // another process may already have the news of a connection, so Notify is left alone
		_ = c.Close()
	}
	for _, l := range listeners {
		_ = l.Close()
	}
}

// Passing reports whether a loop of the process is in a pass.
func (m *Memory) Passing() bool { return m.passing.Load() > 0 }

// Dead reports whether the process was killed.
func (m *Memory) Dead() bool { return m.dead.Load() }

// Point marks a point outside of the network at which the process can be killed.
func (m *Memory) Point() { m.step() }

// Open returns the number of open sockets of the process.
func (m *Memory) Open() (n int) {
	m.Locked(func() { n = len(m.files) })
	return n
}

// step is a point at which the process can be killed. If it is, step does not return.
func (m *Memory) step() {
	if m.Step != nil && !m.dead.Load() && m.Step() {
		m.Kill()
	}
	if m.dead.Load() && m.Step != nil {
		runtime.Goexit()
	}
}

type memPoller struct {
	m         *Memory
	loop      *Loop
	news      chan struct{} // holds one token
	own       *ready
	came      []*memSocket
	listeners []*simnet.Listener
}

func (p *memPoller) wake() { p.wakeUp() }

func (p *memPoller) wakeUp() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

func (p *memPoller) listen(l net.Listener) error {
	listener := l.(*simnet.Listener)
	p.m.Locked(func() { p.listeners = append(p.listeners, listener) })
	listener.Notify(p.wakeUp)
	return nil
}

func (p *memPoller) stopListening() {
	var listeners []*simnet.Listener
	p.m.Locked(func() { listeners, p.listeners = p.listeners, nil }) // which Kill reads, on any goroutine
	for _, l := range listeners {
		if !p.m.Held {
			_ = l.Close()
		}
	}
}

func (p *memPoller) run(pass func() (idle time.Duration, over bool)) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	inPass := false
	defer func() {
		if inPass && p.m.dead.Load() { // the process was killed in the middle of a pass
			p.loop.Abandon()
		}
	}()
	for at, passes := time.Duration(-1), 0; !p.m.dead.Load(); passes++ {
		if p.loop.now != at {
			at, passes = p.loop.now, 0
		} else if passes == mostPasses {
			panic("the loop goes round and round, and no time passes")
		}
		p.m.passing.Add(1)
		inPass = true
		idle, over := pass()
		inPass = false
		p.m.passing.Add(-1)
		if over || p.m.dead.Load() {
			break
		}
		if idle < 0 {
			<-p.news
			continue
		}
		timer.Reset(idle)
		select {
		case <-p.news:
		case <-timer.C:
		}
	}
}

func (p *memPoller) collect() {
	p.m.Locked(func() { p.came, p.own.list = p.own.list, nil })
}

func (p *memPoller) deliver(accepts int) {
	for _, k := range p.came {
		p.loop.punctual()
		p.report(k)
	}
	p.came = nil
	for _, l := range p.listeners {
		for range accepts {
			c := l.TryAccept()
			if c == nil {
				break
			}
			k := p.socket(c)
			if k.conn = p.loop.arrive(k, c.Remote()); k.conn != nil {
				c.Notify(k.has)
			}
			p.loop.punctual()
		}
		if p.listeners == nil { // it was stopped meanwhile
			break
		}
		l.Notify(p.wakeUp) // if there are more
	}
}

func (p *memPoller) next() time.Duration { return never }

func (p *memPoller) read(s *set) {
	r, _ := s.ready.(*ready)
	if r == nil {
		return
	}
	var list []*memSocket
	p.m.Locked(func() { list, r.list = r.list, nil })
	for _, k := range list {
		p.report(k)
	}
}

func (p *memPoller) report(k *memSocket) {
	var e simnet.Event
	p.m.Locked(func() { e, k.news, k.listed = k.news, 0, false })
	if k.closed || k.p != p {
		return
	}
	if e&simnet.Writable != 0 {
		p.loop.writable(k.conn)
	}
	if e&simnet.Readable != 0 && !k.closed {
		p.loop.Receive(k.conn)
	}
}

func (p *memPoller) forget(s *set) { s.ready = nil }

func (p *memPoller) close() { p.stopListening() }

func (p *memPoller) adopt(fd int, begin func(Socket) *Conn) *Conn {
	c := p.m.File(fd)
	k := p.socket(c)
	k.isCopied = true
	k.conn = begin(k)
	c.Notify(k.has)
	return k.conn
}

func (p *memPoller) socket(c *simnet.Conn) *memSocket {
	k := &memSocket{p: p, c: c, set: p.own}
	p.m.own(c)
	return k
}
