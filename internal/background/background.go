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

// jobs are for threads that wait.
var jobs = make(chan job)

// Do does something on a thread of the background, and waits for it. A panic goes on in the caller.
func Do(do func()) {
	j := job{do, make(chan any, 1)}
	select {
	case jobs <- j:
	default:
		go Run(j.work)
	}
	if r := <-j.fault; r != nil {
		panic(r)
	}
}

// work does a job, and others that come soon.
func (j job) work() {
	idle := time.NewTimer(stays)
	for {
		j.once()
		idle.Reset(stays)
		select {
		case j = <-jobs:
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
