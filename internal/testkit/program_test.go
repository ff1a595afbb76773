package testkit

import "testing"

// judged is a test that keeps how it ends.
type judged struct {
	testing.TB
	end string
}

func (j *judged) Helper()               {}
func (j *judged) Skipf(string, ...any)  { j.end = "skipped" }
func (j *judged) Fatalf(string, ...any) { j.end = "failed" }

// A test without its program is skipped, but fails in CI.
func TestProgram(t *testing.T) {
	for ci, want := range map[string]string{"": "skipped", "true": "failed"} {
		t.Setenv("CI", ci)
		j := judged{TB: t}
		if Program(&j, "no-such-program", "none"); j.end != want {
			t.Errorf("CI=%q: %s, want %s", ci, j.end, want)
		}
		j = judged{TB: t}
		if path := Program(&j, "sh", "dash"); path == "" || j.end != "" {
			t.Errorf("CI=%q: sh is %q, %s", ci, path, j.end)
		}
	}
}
