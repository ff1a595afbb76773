// Package background runs work that can wait on threads with lower CPU priority than those of the games.
// Threads runs functions for an owner; Run lowers the priority of a goroutine's own thread. The web server
// and map uploads use Threads, and the loop that sends games to spectators uses Run. Prompt makes all other
// threads wake sooner.
package background

import (
	"fmt"
	"runtime/debug"
	"time"
)

// stays is how long an idle thread waits for more work. Creating a thread for each piece of work would cost
// the games more than the work itself.
const stays = 300 * time.Millisecond

// job is a function to run; fault receives the value it panicked with, or nil.
type job struct {
	do    func()
	fault chan any
}

// Threads runs functions on background threads. A thread ends when it has been idle for a while. It is safe
// for concurrent use.
type Threads struct{ jobs chan job }

// New returns Threads without any thread. Do starts one when all others are busy.
func New() *Threads { return &Threads{make(chan job)} }

// Do runs do on a background thread and blocks until it returns. A panic of do continues in the caller.
func (t *Threads) Do(do func()) {
	j := job{do, make(chan any, 1)}
	select {
	case t.jobs <- j:
	default:
		go Run(func() { t.work(j) })
	}
	if r := <-j.fault; r != nil {
		panic(r)
	}
}

// work runs j and then further jobs, until none arrives within stays.
func (t *Threads) work(j job) {
	idle := time.NewTimer(stays)
	for {
		j.once()
		idle.Reset(stays)
		select {
		case j = <-t.jobs:
		case <-idle.C:
			return
		}
	}
}

func (j job) once() {
	defer func() {
		r := recover()
		if r != nil {
			r = fmt.Errorf("%v\n%s", r, debug.Stack())
		}
		j.fault <- r
	}()
	j.do()
}
