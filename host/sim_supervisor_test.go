//go:build linux

package host

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"w3host/hold"
	"w3host/hold/supervisor"
)

// Times within which the supervisor keeps its promises.
const (
	servesWithin   = 50 * time.Second  // from the death of a host to service, beside starts that fail for faultsLast and one that hangs
	upgradesWithin = 150 * time.Second // from the request for an upgrade to its answer
	faultsLast     = 15 * time.Second
)

// programs are those that an operator upgrades to. Only the first two are good.
var programs = []string{"good", "good too", "missing", "exits at once", "hangs at its start", "is never ready", "exits when it is to host", "hangs when it is to host"}

// simSupervisor drives the real machine of the supervisor with processes of the simulation. All of it is on the goroutine of the
// network. It implements supervisor.System.
type simSupervisor struct {
	w       *simWorld
	r       *rand.Rand
	machine *supervisor.Machine
	procs   map[int]*simProc
	armed   time.Duration // when the machine gets its next tick

	faultyUntil time.Time // starts fail until then
	hung        bool      // one start has hung since the faults began
	upgraded    bool      // the process that hosts was started by an upgrade, and has not served yet
	awaySince   time.Time // when the last host that served has died; zero: one serves
	served      bool
	asked       []*simAsked
	failed      map[string]int // starts, by how they failed
}

// simAsked is a request of an operator for an upgrade.
type simAsked struct {
	p       *simProc // the host that was asked
	path    string
	answers int
}

func newSimSupervisor(w *simWorld) *simSupervisor {
	s := &simSupervisor{w: w, r: rand.New(rand.NewPCG(w.r.Uint64(), 11)), procs: map[int]*simProc{}, failed: map[string]int{}}
	s.machine = supervisor.New(supervisor.Options{
		Program: supervisor.Program{Path: "good"}, Upgrade: "good too", Good: time.Second, Beat: time.Second,
	}, s, s.now())
	return s
}

func (s *simSupervisor) now() time.Duration { return time.Since(s.w.began) }

// do gives the machine an input, and looks at the result.
func (s *simSupervisor) do(input func(now time.Duration)) {
	before := s.machine.State()
	input(s.now())
	var standBy []*simProc
	for _, p := range s.w.procs {
		switch s.machine.Role(p.id) {
		case supervisor.Host:
			s.w.proc = p
		case supervisor.Candidate, supervisor.Standby:
			standBy = append(standBy, p)
		}
	}
	s.w.holder.inform(standBy)
	if now := s.machine.State(); now != before {
		s.w.tell("the supervisor is in %v", now)
		s.changed(now)
	}
	if due := s.machine.Due(); s.machine.State() != supervisor.Ended && due != s.armed {
		s.armed = due
		s.w.n.After(due-s.now(), func() {
			if s.armed == due {
				s.do(s.machine.Tick)
			}
		})
	}
}

// changed excuses lateness while no process serves, and checks that one serves in time.
func (s *simSupervisor) changed(now supervisor.State) {
	w := s.w
	switch now {
	case supervisor.Serving:
		if !s.awaySince.IsZero() && time.Since(s.awaySince) > s.within() {
			w.fault("no host served for %v", time.Since(s.awaySince))
		}
		if s.served && !s.awaySince.IsZero() {
			w.excuse(5 * time.Second)
		}
		if s.upgraded { // games of the process before may follow until a minute from now
			w.upgradedAt = time.Now()
		}
		s.awaySince, s.served, s.upgraded, w.away = time.Time{}, true, false, false
		return
	case supervisor.Starting:
		if s.upgraded && w.stopping {
			w.stopping = false
			w.n.After(time.Duration(s.r.IntN(40_000))*time.Microsecond, func() { close(w.stopped) })
		}
	case supervisor.Waiting, supervisor.Reverting:
		w.away = true
	case supervisor.HandingOver:
		s.upgraded, w.upgradedAt = true, time.Now()
		w.excuse(10 * time.Second)
		return
	case supervisor.Stopping, supervisor.Ended:
		if !w.ending {
			_, err := s.machine.Result()
			w.fault("the supervisor has given up: %v", err)
			w.ending, w.away = true, true
		}
	}
	if s.served && s.awaySince.IsZero() && now != supervisor.Preparing {
		s.awaySince = time.Now()
	}
	if now == supervisor.Waiting || now == supervisor.Starting || now == supervisor.Reverting {
		w.excuse(2 * supervisor.Patience)
	}
}

// within is the time within which a host must serve again.
func (s *simSupervisor) within() time.Duration {
	if s.upgraded { // the new program may hang
		return servesWithin + supervisor.Patience
	}
	return servesWithin
}

// hear passes a message of a process on.
func (s *simSupervisor) hear(p *simProc, what supervisor.Message, text string) {
	s.w.n.After(0, func() {
		if !p.exited {
			s.do(func(now time.Duration) { s.machine.Hear(now, p.id, what, text) })
		}
	})
}

// exit handles the end of a process, on the goroutine of the network.
func (s *simSupervisor) exit(p *simProc, code int) {
	if p.exited {
		return
	}
	p.exited = true
	s.w.tell("%s has ended (exit code %d)", p.name, code)
	if p.h.Load() == nil { // a host keeps its connections until the world ends, for the check of what it has left open
		p.net.Kill()
	}
	s.do(func(now time.Duration) { s.machine.Exited(now, p.id, code) })
}

// faults has starts fail for a while.
func (s *simSupervisor) faults() {
	if s.w.ending || !s.served {
		return
	}
	d := time.Duration(s.r.Int64N(int64(faultsLast)))
	s.w.tell("for %v processes may fail to start", d)
	s.faultyUntil, s.hung = time.Now().Add(d), false
}

// Start implements supervisor.System.
func (s *simSupervisor) Start(id int, path string, role supervisor.Role) (supervisor.Process, error) {
	w, does := s.w, path
	if time.Now().Before(s.faultyUntil) {
		switch n := s.r.IntN(10); {
		case n < 4:
			s.failed["resource temporarily unavailable"]++
			return nil, fmt.Errorf("cannot start %s: %w", path, errAgain)
		case n < 6:
			does = "missing"
		case n < 8:
			does = "exits at once"
		case n == 8 && !s.hung:
			does, s.hung = "hangs at its start", true
		}
	}
	if does == "missing" {
		s.failed[does]++
		return nil, fmt.Errorf("cannot start %s: no such file", path)
	}
	if !strings.HasPrefix(does, "good") {
		s.failed[does]++
	}
	p := w.holder.process(fmt.Sprint("process ", id-1), role != supervisor.Host)
	p.id, p.path, p.does, p.supervisor.isStandby = id, path, does, role == supervisor.Standby
	s.procs[id] = p
	w.start(p)
	return p, nil
}

var errAgain = errors.New("resource temporarily unavailable")

// IsTransient implements supervisor.System.
func (s *simSupervisor) IsTransient(err error) bool { return errors.Is(err, errAgain) }

// Hosts implements supervisor.System.
func (s *simSupervisor) Hosts(supervisor.Process) {}

// Release implements supervisor.System.
func (s *simSupervisor) Release(supervisor.Program) {}

// Log implements supervisor.System.
func (s *simSupervisor) Log(format string, args ...any) { s.w.tell("supervisor: "+format, args...) }

// Stopped implements supervisor.Process.
func (p *simProc) Stopped() bool { return false }

// Program implements supervisor.Process.
func (p *simProc) Program() supervisor.Program { return supervisor.Program{Path: p.path} }

// Signal implements supervisor.Process.
func (p *simProc) Signal(sig supervisor.Signal) {
	w := p.supervisor.holder.w
	w.tell("%s gets signal %d", p.name, sig)
	if sig != supervisor.Terminate {
		w.die(p)
		return
	}
	if p.stop(); p.handing.Load() {
		p.outlast()
	}
}

// Tell implements supervisor.Process.
func (p *simProc) Tell(o supervisor.Order, text string) {
	w := p.supervisor.holder.w
	w.tell("%s is told %v %s", p.name, map[supervisor.Order]string{supervisor.Go: "to go on", supervisor.HandOver: "to hand over", supervisor.Refuse: "that the upgrade is refused:"}[o], text)
	switch o {
	case supervisor.Go:
		p.supervisor.news <- helloGoOn
	case supervisor.HandOver:
		w.upgrades++
		w.supervisor.answer(p, false)
		p.handing.Store(true)
		p.stop()
	case supervisor.Refuse:
		w.supervisor.answer(p, !p.handing.Load()) // one that hands over has answered, and may take half a second for its records
	}
}

// answer counts an answer to the request of an operator: the oldest that waits for one.
func (s *simSupervisor) answer(p *simProc, must bool) {
	for _, a := range s.asked {
		if a.p == p && a.answers == 0 {
			a.answers++
			return
		}
	}
	if must {
		s.w.fault("%s has an answer to no request for an upgrade", p.name)
	}
}

// ask has an operator ask the host for an upgrade; without an operator it is SIGUSR2.
func (s *simSupervisor) ask(path string, operator bool) {
	w, p := s.w, s.w.proc
	if w.ending || s.machine.Role(p.id) != supervisor.Host || p.h.Load() == nil {
		return
	}
	if !operator {
		w.tell("SIGUSR2 asks for an upgrade")
		s.do(s.machine.Upgrade)
		return
	}
	w.tell("an operator upgrades %s to the program %q", p.name, path)
	w.requests++
	a := &simAsked{p: p, path: path}
	s.asked = append(s.asked, a)
	s.hear(p, supervisor.Upgrade, path)
	w.n.After(upgradesWithin, func() { s.checkAsked(a) })
}

// checkAsked finds a request that has no answer, though the process that was asked has not died.
func (s *simSupervisor) checkAsked(a *simAsked) {
	if a.answers != 1 && !a.p.exited && !a.p.net.Dead() {
		s.w.fault("the upgrade of %s to %q has %d answers", a.p.name, a.path, a.answers)
	}
}

// report has a process that stands by say each second that it lives, as package daemon does.
func (s *simSupervisor) report(p *simProc, began time.Time) {
	if p.exited || p.goesOn.Load() || s.machine.Role(p.id) == supervisor.None || p.does == "is never ready" && time.Since(began) > time.Minute {
		return
	}
	if p.ready.Load() {
		s.hear(p, supervisor.Ready, "")
	} else {
		s.hear(p, supervisor.Busy, "")
	}
	s.w.n.After(time.Second, func() { s.report(p, began) })
}

// misbehaves is what a process does whose program is bad, before it is a host. It reports whether it ends then.
func (p *simProc) misbehaves(when string) bool {
	does, isLater := strings.CutSuffix(p.does, " when it is to host")
	does = strings.TrimSuffix(does, " at its start")
	does = strings.TrimSuffix(does, " at once")
	switch {
	case strings.HasPrefix(does, "good"), does == "is never ready", isLater != (when == "host"):
		return false
	case does == "hangs":
		<-p.dies
	default:
		time.Sleep(time.Duration(p.intN(200)) * time.Millisecond)
	}
	return true
}

// answered checks the requests for upgrades at the end.
func (s *simSupervisor) answered() {
	for _, a := range s.asked {
		if a.answers > 1 {
			s.w.fault("the upgrade of %s to %q has %d answers", a.p.name, a.path, a.answers)
		}
	}
}

// inform names the processes that are told what is put and dropped.
func (o *simHolder) inform(standBy []*simProc) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.standBy = slices.Clone(standBy)
}

// Messages of a process.

func (s *simHoldClient) Serving() { s.say(supervisor.IsServing, "") }
func (s *simHoldClient) Ending()  { s.say(supervisor.Ending, "") }

func (s *simHoldClient) say(what supervisor.Message, text string) {
	if !s.silent() {
		s.holder.w.supervisor.hear(s.p, what, text)
	}
}

func (s *simHoldClient) Alive() { // many times a second: once is enough
	s.p.net.Point()
	if now := time.Now(); !s.p.net.Dead() && now.Sub(s.aliveAt) >= time.Second {
		s.aliveAt = now
		s.holder.w.supervisor.hear(s.p, supervisor.Alive, "")
	}
}

func (s *simHoldClient) KeepStandby() {
	if now := time.Now(); now.Sub(s.standbyAt) >= time.Second {
		s.standbyAt = now
		s.say(supervisor.KeepStandby, "")
	}
}

func (s *simHoldClient) Ready(is bool) {
	if is && s.p.does != "is never ready" && !s.p.ready.Swap(true) { // report repeats it
		s.say(supervisor.Ready, "")
	}
}

func (s *simHoldClient) Done() error {
	s.say(supervisor.Done, "")
	s.done = true
	return nil
}

func (s *simHoldClient) Upgrade(string) error { return nil }

var helloGoOn = hold.News{Verb: hold.GoOn, FD: -1}
