package main

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"w3host/internal/testkit"
	"w3host/storage/storagetest"
)

// Two hosts of a fleet in one data folder: the second takes the next free port of the range and the
// next spool, and health asks each for itself. What a killed one leaves is taken up by the next that
// takes its spool.
func TestTwoHostsInOneFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := int(testkit.FreePort(t))
	listen := fmt.Sprintf("127.0.0.1:%d-%d", first, first+20)
	config := strings.Replace(fmt.Sprintf(fleetConfig, storagetest.Postgres(t), ""), "127.0.0.1:0", listen, 1)
	write(t, filepath.Join(dir, "config.toml"), config)
	a := startProcess(t, dir)
	b := startProcess(t, dir)
	if a.addr == b.addr {
		t.Fatalf("both at %s", a.addr)
	}
	for _, p := range []*process{a, b} {
		if at := netip.MustParseAddrPort(p.addr); int(at.Port()) < first || int(at.Port()) > first+20 {
			t.Errorf("at %v, not in %s", at, listen)
		}
	}
	health := func() string {
		out, err := processCommand(t, dir, "health").CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return string(out)
	}
	if said := health(); !strings.Contains(said, a.addr) {
		t.Errorf("not of the first: %s", said)
	}
	_ = a.cmd.Process.Kill()
	_ = a.cmd.Wait()
	if said := health(); !strings.Contains(said, b.addr) {
		t.Errorf("not of the one that runs: %s", said)
	}
	c := startProcess(t, dir)
	c.await("hosting")
	if _, err := os.Stat(filepath.Join(dir, "data", "spool-2", "status.json")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "spool-3")); err == nil {
		t.Error("a spool that was free was passed by")
	}
}
