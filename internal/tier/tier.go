// Package tier assigns tests to the quick tier, which scripts/test.sh runs, or to the
// full tier, which scripts/test.sh --all runs. docs/contributing.md describes both.
package tier

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// The environment variables by which scripts/test.sh controls the tests.
const (
	allVariable     = "W3HOST_TEST_ALL"     // not empty: run the tests of the full tier
	strictVariable  = "W3HOST_TEST_STRICT"  // not empty: a missing component fails its tests
	skippedVariable = "W3HOST_TEST_SKIPPED" // a file that collects what was skipped
)

// IsAll reports whether the full tier runs.
func IsAll() bool { return os.Getenv(allVariable) != "" }

// All skips the test in the quick tier. needs is the component or the reason, as in
// "needs chromium".
func All(t testing.TB, needs string) {
	t.Helper()
	if !IsAll() {
		t.Skipf("SKIP: %s (scripts/test.sh --all)", needs)
	}
}

// Pick returns how much a test does: less in the quick tier than in the full one.
func Pick(quick, all int) int {
	if IsAll() {
		return all
	}
	return quick
}

// Program returns the path of a program that a Debian package installs. It skips the
// test in the quick tier.
func Program(t testing.TB, name, debian string) (path string) {
	t.Helper()
	All(t, "needs "+name)
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "needs %s (apt-get install %s)", name, debian)
	}
	return path
}

// Missing ends a test that lacks a component which scripts/test.sh installs as root on
// Debian: the test fails where the script could install it, and is skipped elsewhere.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv(strictVariable) != "" {
		t.Fatalf(format, args...)
	}
	Unable(t, format, args...)
}

// Unable skips a test that needs an ability of the operating system or of the user, such
// as network namespaces, which no installation adds. scripts/test.sh lists these tests
// at its end.
func Unable(t testing.TB, format string, args ...any) {
	t.Helper()
	reason := fmt.Sprintf(format, args...)
	if err := note(t.Name(), reason); err != nil {
		t.Fatal(err)
	}
	t.Skip("SKIP: " + reason)
}

// note adds a line to the file of skipped tests, if there is one.
func note(test, reason string) error {
	name := os.Getenv(skippedVariable)
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s: %q\n", test, reason)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
