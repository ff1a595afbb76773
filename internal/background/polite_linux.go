package background

import "runtime"

// niceness is added to the nice value of background threads, like nice -n 10.
const niceness = 10

// Run calls do at low priority on the thread of the calling goroutine. Call it last: the thread ends with the
// goroutine.
func Run(do func()) {
	runtime.LockOSThread() // never unlocked, because nothing else may run on a thread with lowered priority
	adjust(0, niceness, 0)
	do()
}
