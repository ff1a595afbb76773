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

// perThread adds up what a file of each thread of a process says.
func perThread(pid int, file string, read func(text string) int64) (sum int64) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/%s", pid, file))
	for _, task := range tasks {
		if text, err := os.ReadFile(task); err == nil {
			sum += read(string(text))
		}
	}
	return sum
}

// cpuTime returns the time that a process has spent on the processors so far, also on threads that have ended, as the scheduler
// counts it; the times in stat are sampled, which is wrong for a process that wakes by the clock.
func cpuTime(pid int) time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(int32(^pid<<3|2), &t) // as clock_getcpuclockid makes it of a pid
	return time.Duration(t.Nano())
}

// memory is the resident size of a process in KiB.
func memory(pid int) int64 { return statusKiB(pid, "VmRSS:") }

// peakMemory is the highest that it was.
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
