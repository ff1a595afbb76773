package background

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What runs in the background is nicer, nothing is afterwards, and a panic is the caller's.
func TestDo(t *testing.T) {
	nice := func() int {
		n, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
		if err != nil {
			t.Error(err)
		}
		return own(n)
	}
	before, within, threads := nice(), 0, New()
	for range 100 {
		threads.Do(func() { within = nice() })
		if want := min(before+niceness, 19); within != want {
			t.Fatalf("niceness %d, want %d", within, want)
		}
		if after := nice(); after != before {
			t.Fatalf("niceness %d afterwards, %d before", after, before)
		}
	}
	defer func() {
		if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "oops\n") || !strings.Contains(r, "TestDo") {
			t.Errorf("the panic is %q", r)
		}
	}()
	threads.Do(func() { panic("oops") })
}
