package watch

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// behind is how much less of the processor the loop gets than others who want it: as nice -n 10.
const behind = 10

// RunBehind is Run on a thread that gets out of the way of those who play.
func (s *Server) RunBehind() {
	runtime.LockOSThread()                             // it ends with this goroutine
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, behind) // of this thread; without it the loop is only less polite
	s.Run()
}
