//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// patience is how long everything is held while no host serves. Clients give a game
	// up 65 s after its last turn.
	patience = 60 * time.Second
	// againFirst and againMost are the pauses after hosts that have ended too soon.
	againFirst, againMost = 100 * time.Millisecond, 2 * time.Second
)

// holder is the process that holds.
type holder struct {
	Options
	held map[Name]int

	good time.Duration // how long a host lives at least that is replaced at once

	host    *exec.Cmd
	serving bool // the host has said so
	served  bool // one of them has
	ending  bool
}

// Serve starts hosts, one after the other, until one ends in order, and returns the exit
// code of the last.
func Serve(o Options) (code int, err error) {
	return (&holder{Options: o, held: map[Name]int{}, good: time.Second}).serve()
}

func (h *holder) serve() (code int, err error) {
	defer func() {
		for _, fd := range h.held {
			_ = unix.Close(fd)
		}
	}()
	for since, pause := time.Now(), againFirst; ; {
		began := time.Now()
		code, err := h.run()
		switch {
		case err != nil || h.ending || !h.served:
			return code, err
		case h.serving && time.Since(began) >= h.good:
			since, pause = time.Now(), againFirst
			h.Log("the host has ended (exit code %d); it is started again, with %d descriptors that are held for it", code, len(h.held))
		case time.Since(since) > patience:
			return 1, fmt.Errorf("no host has served for %v: everything that was held for it is closed", patience)
		default:
			h.Log("the host has ended soon after its start (exit code %d); it is started again in %v", code, pause)
			if h.wait(pause) {
				return code, nil
			}
			pause = min(2*pause, againMost)
		}
	}
}

// wait pauses; true: the holder is to end meanwhile.
func (h *holder) wait(pause time.Duration) (end bool) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return false
		case sig := <-h.Signals:
			if sig == syscall.SIGTERM {
				return true
			}
		}
	}
}

// message is one of the host's.
type message struct {
	verb  byte
	names []Name
	fds   []int
}

// run starts a host, gives it what is held, and serves it until it has ended.
func (h *holder) run() (code int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 1, err
	}
	defer unix.Close(pair[0])
	theirs := os.NewFile(uintptr(pair[1]), "holder")
	h.host, h.serving = h.Command(), false
	h.host.ExtraFiles = []*os.File{theirs}
	h.host.Env = append(h.host.Environ(), socketEnv+"=1")
	err = h.host.Start()
	if err = errors.Join(err, theirs.Close()); err != nil {
		return 1, fmt.Errorf("cannot start a host: %w", err)
	}
	if err := h.Started(h.host.Process.Pid); err != nil {
		h.Log("%v", err)
	}
	messages := make(chan message)
	go func() { // ends when the host has hung up
		defer close(messages)
		for {
			verb, names, fds, err := receive(pair[0])
			if err != nil {
				return
			}
			messages <- message{verb, names, fds}
		}
	}()
	_ = h.give(pair[0]) // a host that is dead by now hangs up below
	h.listen(messages)
	_ = h.host.Wait() // its copies are closed when this returns
	return h.host.ProcessState.ExitCode(), nil
}

// give passes everything on.
func (h *holder) give(sock int) error {
	for names := range slices.Chunk(slices.Sorted(maps.Keys(h.held)), batch) {
		fds := make([]int, len(names))
		for i, n := range names {
			fds[i] = h.held[n]
		}
		if err := send(sock, verbPut, names, fds, 0); err != nil {
			return err
		}
	}
	return send(sock, verbGo, nil, nil, 0)
}

// listen does what the host says until it hangs up, and passes signals on.
func (h *holder) listen(messages <-chan message) {
	for {
		select {
		case m, ok := <-messages:
			if !ok {
				return
			}
			h.do(m)
		case sig := <-h.Signals:
			h.ending = h.ending || sig == syscall.SIGTERM
			_ = h.host.Process.Signal(sig)
		}
	}
}

func (h *holder) do(m message) {
	switch m.verb {
	case verbPut:
		for i, n := range m.names {
			h.drop(n)
			if i < len(m.fds) {
				h.held[n] = m.fds[i]
			}
		}
	case verbDrop:
		for _, n := range m.names {
			h.drop(n)
		}
	case verbServing:
		h.serving, h.served = true, true
	case verbEnding:
		h.ending = true
	}
}

func (h *holder) drop(n Name) {
	if fd, ok := h.held[n]; ok {
		_ = unix.Close(fd)
		delete(h.held, n)
	}
}
