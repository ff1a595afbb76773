// Package background does work that can wait on threads that get less of the processor than those of the games.
package background

import (
	"fmt"
	"runtime/debug"
	"time"
)

// stays is how long a thread waits for more to do: to make one for each piece of work costs the games more than the work.
const stays = 300 * time.Millisecond

// job is something to do; fault gets the value it panicked with, or nil.
type job struct {
	do    func()
	fault chan any
}

// Threads run functions for their owner. Each thread ends when it has had nothing to do for a while.
type Threads struct{ jobs chan job }

// New returns Threads without a thread: Do starts one when all others are busy.
func New() *Threads { return &Threads{make(chan job)} }

// Do calls do on a background thread and returns when do has returned. A panic of do continues in the caller.
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

// work runs j and then other jobs, until none arrives within stays.
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
