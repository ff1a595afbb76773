//go:build unix

package storagetest

import (
	"os"
	"path/filepath"

	"w3host/internal/testkit"
)

// Standby starts a replica of the server and waits until it has caught up. A stopped replica receives
// nothing.
func (s *Server) Standby() *Server {
	s.t.Helper()
	c := &Server{t: s.t, bin: s.bin, user: s.user, dir: filepath.Join(s.dir, "standby")}
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

// FailOver ends the server like a crash and promotes a standby under its address.
func (s *Server) FailOver(c *Server) {
	s.t.Helper()
	s.Stop()
	c.configure(s.port, "primary_conninfo = ''\n")
	c.Start()
	c.must("pg_ctl", "-D", c.data(), "-w", "promote")
}
