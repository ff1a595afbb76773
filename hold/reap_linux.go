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

// reapOrphans waits for processes that nobody else waits for: the first process of a
// container inherits those whose parents have died. It never ends.
func reapOrphans() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	for range ended {
		reap()
	}
}

// reap leaves the hosts alone, which are in the holder's process group; a command that is run in a
// container has one of its own.
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
