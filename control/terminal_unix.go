//go:build unix

package control

import (
	"context"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// inForeground reports whether this process is in the terminal's foreground process group.
func inForeground(tty *os.File) bool {
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// onHangup calls f for each SIGHUP until ctx ends.
func onHangup(ctx context.Context, f func()) { onSignal(ctx, syscall.SIGHUP, f) }
