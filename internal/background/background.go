// Package background does what can wait on threads that get less of the processor than those of the games.
package background

import (
	"fmt"
	"runtime/debug"
)

// Do does something on a thread of its own, and waits for it. A panic goes on in the caller.
func Do(do func()) {
	fault := make(chan any, 1)
	go func() {
		defer func() {
			r := recover()
			if r != nil {
				r = fmt.Errorf("%v\n%s", r, debug.Stack())
			}
			fault <- r
		}()
		Run(do)
	}()
	if r := <-fault; r != nil {
		panic(r)
	}
}
