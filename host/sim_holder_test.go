//go:build linux

package host

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"w3host/hold"
	"w3host/host/loop"
	"w3host/internal/simdisk"
	"w3host/internal/simnet"
)

// firstMem is the number of the first memory; connections have those below.
const firstMem = 1 << 24

// simHolder is a holder of a simulation: it keeps sockets and memory of processes that are hosts of
// one bubble.
type simHolder struct {
	w     *simWorld
	n     *simnet.Net
	began time.Time

	mu      sync.Mutex
	mems    map[int]*simMem
	last    int
	held    map[hold.Name]int
	standBy []*simProc // are told what is put and dropped
}

// simMem is memory that outlives a process.
type simMem struct {
	b     []byte
	owner *simProc
}

// simProc is the process of a host.
type simProc struct {
	name       string
	id         int    // that of the supervisor
	path       string // of its program
	does       string // one of programs
	exited     bool   // the supervisor knows of its end
	ready      atomic.Bool
	goesOn     atomic.Bool // it hosts, or is about to
	inOrder    atomic.Bool // it has ended all its games in order
	killed     bool
	dies       chan struct{} // closed when it is killed
	net        *loop.Memory
	supervisor *simHoldClient
	h          atomic.Pointer[Host] // nil until it goes on
	stop       context.CancelFunc   // SIGTERM, or the order to hand over
	handing    atomic.Bool
	outlast    context.CancelFunc
	over       chan error // the result of its last act
	records    *simRecords
	disk       *simdisk.Process
	died       func() // tells the world
	options    Options
	building   atomic.Bool  // in New, where it does not die
	steps      atomic.Int64 // until it dies; 0: it is to live
	rmu        sync.Mutex
	r          *rand.Rand
	slowed     map[int]int // how often it was at each place of slow
}

// slow is that the goroutine gets no processor for a while, unless it is that of a loop. How long depends on the place and on how often the
// process has come there, so that goroutines that run in the same instant may do so in any order.
func (p *simProc) slow(place, seldom int) {
	if *simSlow == 0 {
		return
	}
	p.rmu.Lock()
	p.slowed[place]++
	r := rand.New(rand.NewPCG(uint64(p.id)<<32|uint64(p.slowed[place]), uint64(place)))
	p.rmu.Unlock()
	if r.IntN(*simSlow*seldom) == 0 && !(p.net.Passing() && isLoop()) {
		time.Sleep(time.Duration(r.IntN(20_000)) * time.Microsecond)
	}
}

// isLoop reports whether the goroutine is that of a loop. It is slow.
func isLoop() bool {
	var buf [16 << 10]byte
	return bytes.Contains(buf[:runtime.Stack(buf[:], false)], []byte("memPoller).run"))
}

func (p *simProc) intN(n int) int {
	p.rmu.Lock()
	defer p.rmu.Unlock()
	return p.r.IntN(n)
}

type simHoldClient struct {
	holder             *simHolder
	p                  *simProc
	left               map[hold.Name]int
	news               chan hold.News
	standsBy           bool
	isStandby          bool
	done               bool
	aliveAt, standbyAt time.Time // when it last said so
}

func newSimHolder(w *simWorld) *simHolder {
	return &simHolder{w: w, n: w.n, began: time.Now(), mems: map[int]*simMem{}, last: firstMem, held: map[hold.Name]int{}}
}

// process begins a process, which is given everything.
func (o *simHolder) process(name string, standsBy bool) *simProc {
	p := &simProc{name: name, net: loop.NewMemory(o.n), over: make(chan error, 1), dies: make(chan struct{}), slowed: map[int]int{}, r: rand.New(rand.NewPCG(uint64(len(name)), uint64(time.Since(o.began))))}
	p.net.Held = true
	o.mu.Lock()
	defer o.mu.Unlock()
	p.supervisor = &simHoldClient{holder: o, p: p, left: map[hold.Name]int{}, news: make(chan hold.News, 1<<16), standsBy: standsBy}
	for _, name := range slices.Sorted(maps.Keys(o.held)) {
		p.supervisor.left[name] = o.give(p, o.held[name])
	}
	if standsBy {
		o.standBy = append(o.standBy, p)
	}
	return p
}

// give makes a copy for a process.
func (o *simHolder) give(p *simProc, fd int) int {
	if o.dup(fd); fd < firstMem {
		p.net.Give(fd)
	}
	return fd
}

// dup makes a copy for somebody.
func (o *simHolder) dup(fd int) int {
	if c := o.n.File(fd); fd < firstMem {
		c.Copy()
	}
	return fd
}

func (o *simHolder) close(fd int) {
	if fd < firstMem {
		_ = o.n.File(fd).Close()
	}
}

func (s *simHoldClient) silent() bool {
	s.p.net.Point()
	return s.p.net.Dead() || s.done
}

func (s *simHoldClient) Inherited() map[hold.Name]int { return s.left }

func (s *simHoldClient) Put(name hold.Name, fd int) error {
	if s.silent() {
		return nil
	}
	o := s.holder
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drop(name)
	o.held[name] = o.dup(fd)
	for _, p := range o.standBy {
		if p != s.p {
			p.supervisor.news <- hold.News{Verb: hold.Held, Name: name, FD: o.give(p, fd)}
		}
	}
	return nil
}

func (s *simHoldClient) Drop(name hold.Name) {
	if s.silent() {
		return
	}
	o := s.holder
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drop(name)
	for _, p := range o.standBy {
		if p != s.p {
			p.supervisor.news <- hold.News{Verb: hold.Dropped, Name: name, FD: -1}
		}
	}
}

func (o *simHolder) drop(name hold.Name) {
	if fd, ok := o.held[name]; ok {
		o.close(fd)
		delete(o.held, name)
	}
}

func (s *simHoldClient) Flush(time.Duration) bool { return true }
func (s *simHoldClient) IsStandby() bool          { return s.isStandby }
func (s *simHoldClient) StandsBy() bool           { return s.standsBy }
func (s *simHoldClient) Gone() bool               { return false }
func (s *simHoldClient) News() <-chan hold.News   { return s.news }
func (s *simHoldClient) Clock() time.Duration     { return time.Since(s.holder.began) }

func (s *simHoldClient) Memory(_ string, size int) (*hold.Memory, error) {
	b, err := unix.Mmap(-1, 0, hold.HeadLen+size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	o := s.holder
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last++
	o.mems[o.last] = &simMem{b: b}
	return s.memory(o.last), nil
}

func (s *simHoldClient) Map(fd int) (*hold.Memory, error) {
	s.holder.mu.Lock()
	defer s.holder.mu.Unlock()
	if s.holder.mems[fd] == nil {
		return nil, fmt.Errorf("%d is no memory", fd)
	}
	return s.memory(fd), nil
}

func (s *simHoldClient) memory(fd int) *hold.Memory {
	o, m := s.holder, s.holder.mems[fd]
	own := func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		if m.owner == nil || m.owner.net.Dead() {
			m.owner = s.p
		}
		return m.owner == s.p
	}
	free := func() error {
		o.mu.Lock()
		defer o.mu.Unlock()
		if m.owner == s.p {
			m.owner = nil
		}
		return nil
	}
	mem := hold.Shared(fd, m.b, own, free)
	mem.Stored = func() {
		s.p.net.Point()
		s.p.slow(fd, 500)
	}
	return mem
}

func (s *simHoldClient) Count(fd int) (c hold.Counts, err error) {
	s.p.slow(-fd, 1)
	c.Read, c.Written, c.Over = s.holder.n.File(fd).Counts()
	return c, nil
}

// free gives all memory back.
func (o *simHolder) free(t *testing.T) {
	for _, m := range o.mems {
		if err := unix.Munmap(m.b); err != nil {
			t.Error(err)
		}
	}
}
