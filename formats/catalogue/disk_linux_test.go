package catalogue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"w3host/internal/testkit"
)

// TestDiskFailsOnce: a map that could not be read to its end is tried again, by the next start and while watched.
func TestDiskFailsOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.w3x")
	put(t, path, named("a"))
	opts := quick
	opts.Cache = filepath.Join(t.TempDir(), "maps.json")
	bad, tries := true, 0
	failing := opts
	failing.Progress = func(int64, int64) { // when the first part has been read
		if tries++; bad {
			breakReads(t, path)
		}
	}
	c := open(t, dir, failing)
	if e := c.Files()[0]; e.Fault == nil || !strings.Contains(e.Fault.Error(), syscall.EBADF.Error()) {
		t.Fatalf("fault %v", e.Fault)
	}
	if news, err := c.Scan(t.Context()); news || err != nil || tries != 1 {
		t.Errorf("news %t, %v, read %d times: it should wait with the next try", news, err, tries)
	}
	if e := open(t, dir, opts).Files()[0]; e.Fault != nil {
		t.Errorf("the next start has %v", e.Fault)
	}
	bad = false
	testkit.Eventually(t, "reading the map again", func() bool {
		_, err := c.Scan(t.Context())
		return err == nil && c.Files()[0].Fault == nil
	})
}

// breakReads puts a file that is open for writing only in place of the one that is being read.
func breakReads(t *testing.T, path string) {
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range open {
		if to, err := os.Readlink(link); err != nil || to != path {
			continue
		}
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		fd := 0
		if _, err := fmt.Sscan(filepath.Base(link), &fd); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Dup3(int(w.Fd()), fd, syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadersYieldToGames: files that arrive after Open are read on threads of lower priority.
func TestReadersYieldToGames(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.w3x"), named("a"))
	opts, nice := quick, []int{}
	opts.Progress = func(int64, int64) {
		n, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // 20 − niceness
		if err != nil {
			t.Error(err)
		}
		nice = append(nice, 20-n)
	}
	c := open(t, dir, opts)
	put(t, filepath.Join(dir, "b.w3x"), named("b"))
	testkit.Eventually(t, "reading the second map", func() bool {
		_, err := c.Scan(t.Context())
		return err != nil || len(c.Files()) == 2
	})
	if first, last := nice[0], nice[len(nice)-1]; last <= first && first < 19 {
		t.Errorf("niceness %d during Open and %d afterwards", first, last)
	}
}
