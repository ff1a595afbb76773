//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// startHolder runs a holder in a process of its own, with hosts that do as they are told.
func startHolder(t *testing.T, socket, do, file string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), asHolder+"="+socket, asHost+"="+do, "HOLD_TEST_FILE="+file)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) })
	return cmd
}

// given waits until so many hosts have said what they were given.
func given(t *testing.T, file string, hosts int) []string {
	t.Helper()
	for range 3000 {
		if text, _ := os.ReadFile(file); strings.Count(string(text), "\n") >= hosts {
			return strings.Fields(string(text))
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%d hosts have not come", hosts)
	return nil
}

// What a holder holds outlives it in a store. The next one waits for the host of the one
// before, and what it drops is gone.
func TestFDStore(t *testing.T) {
	dir := t.TempDir()
	file, socket := dir+"/given", dir+"/fdstore"
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- ServeFDStore(ctx, socket, t.Logf) }()
	before := openFiles(t)
	kept := func(least, most int) {
		t.Helper()
		n, same := 0, 0
		for range 3000 {
			last := n
			if n = openFiles(t) - before; n != last || n < least || n > most {
				same = 0
			} else if same++; same == 30 { // none comes or goes any more
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("%d descriptors are kept", n)
	}
	const most = 10 // that the store has for itself
	drop := ""
	for i := range 100 {
		drop += fmt.Sprintf(" drop:%d", i+1)
	}
	do := "put:600 serve wait;has serve" + drop + " wait;has serve end"

	first := startHolder(t, socket, do, file)
	kept(600, 600+most)
	second := startHolder(t, socket, do, file)
	_ = first.Process.Kill()
	_ = first.Wait()
	time.Sleep(200 * time.Millisecond) // far longer than it would take
	if text := given(t, file, 1); len(text) > 1 {
		t.Errorf("a second holder has begun before the host of the first has ended: %v", text)
	}
	_ = unix.Kill(-first.Process.Pid, unix.SIGKILL)
	kept(500, 500+most)
	_ = unix.Kill(-second.Process.Pid, unix.SIGKILL)
	_ = second.Wait()
	if err := startHolder(t, socket, do, file).Wait(); err != nil {
		t.Error(err)
	}
	kept(0, most)
	if text := given(t, file, 3); strings.Join(text, " ") != "0 600 500" {
		t.Errorf("hosts were given %v", text)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
