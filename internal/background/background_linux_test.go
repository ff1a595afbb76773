package background

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDo: functions run at lower priority, their caller does not, and a panic continues in the caller.
func TestDo(t *testing.T) {
	nice := func() int {
		a, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Error(err)
			return 0
		}
		return int(a.Nice)
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

// TestPrompt: threads have a short time slice after Prompt, those started later too, and background threads the
// default one.
func TestPrompt(t *testing.T) {
	slice := func() (ns uint64) {
		a, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return a.Runtime
	}
	usual := slice()
	Prompt()
	if slice() == usual {
		t.Skip("the kernel has no time slice per thread")
	}
	later := make(chan uint64)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		later <- slice()
	}()
	if n := <-later; n != promptSlice {
		t.Errorf("another thread has a slice of %d ns, want %d", n, promptSlice)
	}
	var within uint64
	if New().Do(func() { within = slice() }); within != usual {
		t.Errorf("a background thread has a slice of %d ns, want %d", within, usual)
	}
}
