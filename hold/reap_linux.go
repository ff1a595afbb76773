//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// reapOrphans waits for orphaned processes, which the first process of a container inherits. It never returns.
func reapOrphans() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	for range ended {
		reap()
	}
}

// reap skips the hosts, which are in the supervisor's process group and are waited for elsewhere. A command run in the
// container has a group of its own.
func reap() {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(text)) {
			pid, _ := strconv.Atoi(word)
			if group, err := unix.Getpgid(pid); err == nil && group != unix.Getpgrp() {
				_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
			}
		}
	}
}
