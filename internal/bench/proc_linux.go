package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func children(pid int) (list []int) {
	perThread(pid, "children", func(text string) int64 {
		for _, child := range strings.Fields(text) {
			if n, err := strconv.Atoi(child); err == nil {
				list = append(list, n)
			}
		}
		return 0
	})
	return list
}

// perThread returns the sum of a value read from a file of each thread of a process.
func perThread(pid int, file string, read func(text string) int64) (sum int64) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/%s", pid, file))
	for _, task := range tasks {
		if text, err := os.ReadFile(task); err == nil {
			sum += read(string(text))
		}
	}
	return sum
}

// cpuTime returns the CPU time of a process so far, including ended threads, as counted by the scheduler. The
// times in /proc/PID/stat are sampled, which is wrong for processes that wake up by the clock.
func cpuTime(pid int) time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(int32(^pid<<3|2), &t) // the clock ID of a pid, as computed by clock_getcpuclockid
	return time.Duration(t.Nano())
}

// memory returns the resident memory of a process in KiB.
func memory(pid int) int64 { return statusKiB(pid, "VmRSS:") }

// peakMemory returns the peak resident memory in KiB.
func peakMemory(pid int) int64 { return statusKiB(pid, "VmHWM:") }

func statusKiB(pid int, name string) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), name)
	kib, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	return kib
}
