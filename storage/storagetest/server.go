//go:build unix

package storagetest

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"w3host/internal/testkit"
	"w3host/internal/tier"
)

const (
	binVariable  = "W3HOST_TEST_PGBIN"
	userVariable = "W3HOST_TEST_PGUSER"
)

// Server is a Postgres server that a test may stop and start. It syncs its writes like a production server.
type Server struct {
	URL string

	t    testing.TB
	bin  string
	dir  string
	user string
	port uint16
}

// NewServer creates and starts a server that is removed after the test. It skips the test in the quick tier,
// and without scripts/with-postgres.sh.
func NewServer(t testing.TB) *Server {
	tier.All(t, "needs Postgres servers that it may stop")
	s := &Server{t: t, bin: os.Getenv(binVariable), user: os.Getenv(userVariable)}
	if s.bin == "" {
		tier.Missing(t, "needs Postgres servers that it may stop (scripts/with-postgres.sh)")
	}
	dir, err := os.MkdirTemp("", "w3host-pg-") // t.TempDir is not accessible to the server's user
	if err != nil {
		t.Fatal(err)
	}
	s.dir = dir
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s.ownDir()
	s.must("initdb", "-D", s.data(), "-U", "w3host", "-A", "trust", "-E", "UTF8", "--locale=C")
	s.startFirst()
	s.URL = fmt.Sprintf("postgres://w3host@127.0.0.1:%d/postgres?sslmode=disable", s.port)
	return s
}

// ownDir makes the server's user the owner of the directory.
func (s *Server) ownDir() {
	s.t.Helper()
	if cred := s.credential(); cred != nil {
		if err := os.Chown(s.dir, int(cred.Uid), int(cred.Gid)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// startFirst starts a new server on a free port until the test ends.
func (s *Server) startFirst() {
	s.t.Helper()
	s.configure(testkit.FreePort(s.t), "")
	s.Start()
	s.t.Cleanup(func() { _ = s.command("pg_ctl", "-D", s.data(), "-m", "immediate", "stop").Run() })
}

// Start starts the server and waits until it answers.
func (s *Server) Start() {
	s.t.Helper()
	s.must("pg_ctl", "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-w", "-t", "60", "start")
}

// Stop ends the server like a crash, without a checkpoint.
func (s *Server) Stop() {
	s.t.Helper()
	s.must("pg_ctl", "-D", s.data(), "-m", "immediate", "-w", "stop")
}

// configure sets the server's port and further settings for its next start.
func (s *Server) configure(port uint16, more string) {
	s.t.Helper()
	s.port = port
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.auto.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprintf(f, "listen_addresses = '127.0.0.1'\nport = %d\nunix_socket_directories = '%s'\n%s", port, s.dir, more)
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) must(name string, args ...string) {
	s.t.Helper()
	if err := s.command(name, args...).Run(); err != nil {
		log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		s.t.Fatalf("%s: %v\n%s", name, err, log)
	}
}

// command returns a Postgres command that runs as the server's user, because Postgres refuses to run as root.
// Its output is discarded; otherwise the server would hold the pipe open.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.credential()}
	return cmd
}

func (s *Server) credential() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup(s.user)
	if err != nil {
		s.t.Fatal(err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
