//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sys/unix"

	"w3host/hold/supervisor"
)

// launcher starts processes. Tests replace it to make starts fail and to run without real processes.
type launcher interface {
	// launch starts the program at path as a host. hear is called with each message of the process, in
	// order; ended is called once with its exit code, after the last message.
	launch(path string, hear func(message), ended func(code int)) (process, error)
}

// process is a running host process.
type process interface {
	pid() int
	// send does not wait; it returns unix.EAGAIN while the process has not read earlier messages.
	send(message) error
	signal(os.Signal)
	// Stopped and Program are those of supervisor.Process.
	Stopped() bool
	Program() supervisor.Program
}

// isTransient reports whether a start failed for a reason that may go away by itself, such as a lack of memory,
// processes or descriptors.
func isTransient(err error) bool {
	for _, e := range []error{unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ETXTBSY, unix.EINTR} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// system is the launcher of the operating system.
type system struct {
	command func(program string) *exec.Cmd
	store   *os.File // inherited by each host, so that the store also waits for the host's end; nil: none
}

// osProcess is a process of the operating system, connected by a socket pair.
type osProcess struct {
	*exec.Cmd
	sock *os.File
}

// launch implements launcher.
func (s *system) launch(path string, hear func(message), ended func(code int)) (process, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot start a host: %w", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "holder")
	_ = unix.SetNonblock(pair[0], true) // so that the runtime's poller waits for messages: a blocking call keeps its monitor awake
	p := &osProcess{Cmd: s.command(path), sock: os.NewFile(uintptr(pair[0]), "host")}
	p.ExtraFiles = []*os.File{theirs}
	if s.store != nil {
		p.ExtraFiles = append(p.ExtraFiles, s.store)
	}
	p.Env = append(p.Environ(), socketEnv+"="+strconv.Itoa(version))
	err = p.Start()
	_ = theirs.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot start a host: %w", err), p.sock.Close())
	}
	sock, err := p.sock.SyscallConn()
	if err != nil { // the file is open, so this does not happen
		return nil, err
	}
	heard := make(chan struct{})
	go func() { // ends when the process has closed its side or has ended
		defer close(heard)
		for {
			var m message
			var err error
			waitErr := sock.Read(func(fd uintptr) bool {
				m, err = receive(int(fd))
				return !errors.Is(err, unix.EAGAIN)
			})
			if err != nil || waitErr != nil {
				return
			}
			hear(m)
		}
	}()
	go func() { // ends with the process
		_ = p.Wait()
		_ = sock.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RDWR) })
		<-heard
		ended(p.ProcessState.ExitCode())
		_ = p.sock.Close()
	}()
	return p, nil
}

func (p *osProcess) pid() int { return p.Process.Pid }

func (p *osProcess) send(m message) error {
	sock, err := p.sock.SyscallConn()
	if err != nil {
		return err
	}
	if closed := sock.Control(func(fd uintptr) { err = send(int(fd), m, unix.MSG_DONTWAIT) }); closed != nil {
		return closed
	}
	return err
}

func (p *osProcess) signal(sig os.Signal) { _ = p.Process.Signal(sig) }

// Program implements supervisor.Process. The file is kept open, so that the same file is started again even if its path
// has been replaced.
func (p *osProcess) Program() supervisor.Program {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/exe", p.pid()), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return supervisor.Program{Path: p.Path}
	}
	return supervisor.Program{Path: fmt.Sprintf("/proc/self/fd/%d", fd), FD: fd}
}

// Stopped implements supervisor.Process.
func (p *osProcess) Stopped() bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid()))
	_, rest, _ := bytes.Cut(stat[max(bytes.LastIndexByte(stat, ')'), 0):], []byte(" "))
	return len(rest) > 0 && (rest[0] == 'T' || rest[0] == 't')
}
