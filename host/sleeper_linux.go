package host

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// timerfd is a timer of the kernel behind a file descriptor. The runtime waits
// for it as for a socket, so it fires to within some ten microseconds.
type timerfd struct {
	fd   int
	file *os.File
}

func newSleeper() (sleeper, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create a timer: %w", err)
	}
	return &timerfd{fd: fd, file: os.NewFile(uintptr(fd), "timerfd")}, nil
}

func (t *timerfd) arm(d time.Duration) {
	_ = unix.TimerfdSettime(t.fd, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}, nil)
}

func (t *timerfd) wait() bool {
	var expirations [8]byte
	_, err := t.file.Read(expirations[:])
	return err == nil
}

func (t *timerfd) close() { _ = t.file.Close() }
