package testkit

import (
	"os"
	"os/exec"
	"testing"
)

// Program finds a program of a Debian package. Without it the test is skipped; in CI, for which
// scripts/test.sh installs it, the test fails.
func Program(t testing.TB, name, debian string) (path string) {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatalf("there is no %s, which must not be skipped in CI: apt-get install %s", name, debian)
	default:
		t.Skipf("SKIPPED: there is no %s: apt-get install %s", name, debian)
	}
	return path
}
