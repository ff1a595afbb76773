package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A virtual machine may be suspended for a while, and then no program on it is punctual. The witness measures
// this: a process with one high-priority thread bound to each CPU, which repeatedly sleeps for two
// milliseconds and measures how late it wakes.

// watchMachine starts a witness process. stalls ends it and returns the longest delay of its threads in ms.
func watchMachine() (stalls func() (float64, error), err error) {
	cmd := exec.Command("/proc/self/exe", "--witness")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return func() (ms float64, err error) {
		_ = in.Close()
		if _, err := fmt.Fscan(out, &ms); err != nil {
			return 0, fmt.Errorf("witness: %w", err)
		}
		return ms, cmd.Wait()
	}, cmd.Start()
}

func runWitness() {
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(runtime.NumCPU() + 1) // one spare, so that no thread waits when it returns from a system call
	longest := make([]atomic.Int64, runtime.NumCPU())
	for cpu := range longest {
		go witness(cpu, &longest[cpu]) // ends with the process
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	var worst time.Duration
	for cpu := range longest {
		worst = max(worst, time.Duration(longest[cpu].Load()))
	}
	fmt.Println(worst.Seconds() * 1000)
}

func witness(cpu int, longest *atomic.Int64) {
	runtime.LockOSThread()
	var set unix.CPUSet
	set.Set(cpu)
	err := unix.SchedSetaffinity(0, &set)
	if err = cmp.Or(err, unix.SchedSetAttr(0, &unix.SchedAttr{Policy: unix.SCHED_FIFO, Priority: 20}, 0)); err != nil {
		fmt.Fprintln(os.Stderr, "witness: what other processes take counts as a stall of the machine, too:", err)
	}
	for {
		due := time.Now().Add(2 * time.Millisecond)
		for left := time.Until(due); left > 0; left = time.Until(due) { // a signal may end the sleep early
			sleep := unix.NsecToTimespec(int64(left))
			_ = unix.Nanosleep(&sleep, nil)
		}
		if late := int64(time.Since(due)); late > longest.Load() {
			longest.Store(late)
		}
	}
}
