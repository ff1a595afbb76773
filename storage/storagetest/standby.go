//go:build unix

package storagetest

import (
	"os"
	"path/filepath"
	"time"

	"w3host/internal/testkit"
)

// Standby is a copy of a server that follows it.
type Standby struct{ Server }

// Standby starts a copy that follows the server, and waits until it does.
func (s *Server) Standby() *Standby {
	s.t.Helper()
	c := &Standby{Server{t: s.t, bin: s.bin, user: s.user, dir: filepath.Join(s.dir, "standby")}}
	if err := os.Mkdir(c.dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	if cred := s.credential(); cred != nil {
		if err := os.Chown(c.dir, int(cred.Uid), int(cred.Gid)); err != nil {
			s.t.Fatal(err)
		}
	}
	s.must("pg_basebackup", "-d", s.URL, "-D", c.data(), "-R", "-c", "fast")
	c.configure(testkit.FreePort(s.t), "")
	c.Start()
	s.t.Cleanup(func() { _ = c.command("pg_ctl", "-D", c.data(), "-m", "immediate", "stop").Run() })
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if out, _ := s.command("psql", "-d", s.URL, "-Atc", "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()").Output(); string(out) == "1\n" {
			return c
		}
		if time.Now().After(end) {
			s.t.Fatal("the standby does not follow")
		}
	}
}

// Lag has the standby get nothing more.
func (c *Standby) Lag() { c.Stop() }

// FailOver ends the server as a crash does, and has a standby in its place, under its address.
func (s *Server) FailOver(c *Standby) {
	s.t.Helper()
	s.Stop()
	c.configure(s.port, "primary_conninfo = ''\n")
	c.Start()
	c.must("pg_ctl", "-D", c.data(), "-w", "promote")
}
