package tier

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder records how a test would have ended.
type recorder struct {
	testing.TB
	end string
}

func (r *recorder) Helper() {}
func (r *recorder) Skip(args ...any) {
	r.end = "skip " + fmt.Sprint(args...)
	panic(r)
}
func (r *recorder) Skipf(format string, args ...any) { r.Skip(fmt.Sprintf(format, args...)) }
func (r *recorder) Fatalf(format string, args ...any) {
	r.end = "fail " + fmt.Sprintf(format, args...)
	panic(r)
}

// endOf returns how a test ends that calls f: "" if it goes on.
func endOf(t *testing.T, f func(testing.TB)) string {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(r) {
				panic(p)
			}
		}()
		f(r)
	}()
	return r.end
}

func TestTiers(t *testing.T) {
	t.Setenv(skippedVariable, "") // these are no tests that scripts/test.sh skips
	browser := func(t testing.TB) { All(t, "needs a browser") }
	missing := func(t testing.TB) { Program(t, "no-such-program", "no-package") }
	present := func(t testing.TB) { Program(t, "sh", "dash") }
	namespaces := func(t testing.TB) { Unable(t, "needs network namespaces") }
	for _, c := range []struct {
		all, strict string
		test        func(testing.TB)
		want        string
	}{
		{"", "", browser, "skip SKIP: needs a browser (scripts/test.sh --all)"},
		{"", "1", browser, "skip SKIP: needs a browser (scripts/test.sh --all)"},
		{"1", "", browser, ""},
		{"", "1", missing, "skip SKIP: needs no-such-program (scripts/test.sh --all)"},
		{"1", "", missing, "skip SKIP: needs no-such-program (apt-get install no-package)"},
		{"1", "1", missing, "fail needs no-such-program (apt-get install no-package)"},
		{"1", "1", present, ""},
		{"1", "1", namespaces, "skip SKIP: needs network namespaces"},
	} {
		t.Setenv(allVariable, c.all)
		t.Setenv(strictVariable, c.strict)
		if end := endOf(t, c.test); end != c.want {
			t.Errorf("all %q, strict %q: %q, want %q", c.all, c.strict, end, c.want)
		}
	}
}

// TestSkippedAreListed checks that the file for scripts/test.sh has one line per test.
func TestSkippedAreListed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "skipped")
	t.Setenv(skippedVariable, file)
	t.Setenv(strictVariable, "")
	endOf(t, func(t testing.TB) { Unable(t, "needs\n%s", "namespaces") })
	endOf(t, func(t testing.TB) { Missing(t, "needs a disk") })
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), t.Name()+": ") != 2 || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%v: %q", err, text)
	}
}
