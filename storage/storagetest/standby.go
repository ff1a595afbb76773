//go:build unix

package storagetest

import (
	"os"
	"path/filepath"

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
	c.ownDir()
	s.must("pg_basebackup", "-d", s.URL, "-D", c.data(), "-R", "-c", "fast")
	c.startFirst()
	testkit.Eventually(s.t, "the standby follows", func() bool {
		out, _ := s.command("psql", "-d", s.URL, "-Atc", "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()").Output()
		return string(out) == "1\n"
	})
	return c
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
