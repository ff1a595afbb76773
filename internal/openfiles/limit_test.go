//go:build unix

package openfiles

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestLimit: a low soft limit does not matter, the hard one holds.
func TestLimit(t *testing.T) {
	if os.Getenv("SHOW_LIMIT") != "" {
		n, _ := Limit()
		t.Logf("limit=%d.", n)
		return
	}
	cmd := exec.Command("sh", "-c", `ulimit -Sn 64 && ulimit -Hn 200 && exec "$0" -test.run TestLimit -test.v`, os.Args[0])
	cmd.Env = append(os.Environ(), "SHOW_LIMIT=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, after, _ := strings.Cut(string(out), "limit=")
	digits, _, _ := strings.Cut(after, ".")
	if n, err := strconv.Atoi(digits); err != nil || n < 199 || n > 200 { // the runtime leaves one
		t.Errorf("a limit of 200 is told as %q", digits)
	}
}
