package storagetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Pause makes the server hang: it accepts connections but does not answer.
func (s *Server) Pause() { s.signal(syscall.SIGSTOP) }

// Resume continues a paused server.
func (s *Server) Resume() { s.signal(syscall.SIGCONT) }

// signal sends a signal to the postmaster and its children.
func (s *Server) signal(sig syscall.Signal) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		s.t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	master, err := strconv.Atoi(first)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := syscall.Kill(master, sig); err != nil {
		s.t.Fatal(err)
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		var pid, parent int
		var name, state string
		text, _ := os.ReadFile(path)
		if n, _ := fmt.Sscan(string(text), &pid, &name, &state, &parent); n == 4 && parent == master {
			_ = syscall.Kill(pid, sig) // fails harmlessly for a process that has just ended
		}
	}
}
