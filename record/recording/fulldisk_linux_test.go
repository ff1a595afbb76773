package recording

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"w3host/game"
	"w3host/internal/disk"
	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// A full disk ends the recordings of the games that run, each with one message,
// and nothing else; with space the next game is recorded.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		tier.Unable(t, "needs root to mount a small disk: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	a, log := open(t, Options{Dir: dir})
	r := begin(a, 1, "long")
	turns(r, 50)
	testkit.Eventually(t, "its file", func() bool { return free(disk.System, filepath.Join(dir, r.Name()+".part")) != nil })
	ballast := filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	_ = f.Close()
	file := r.Name()
	testkit.Eventually(t, "the end of the recording", func() bool { turns(r, 100); return r.failed.Load() })
	turns(r, 100)
	tell(r, &game.Over{})
	if got := log.Count("cannot write the replay of a game any further"); got != 1 || r.Name() != "" {
		t.Errorf("%d messages, name %q", got, r.Name())
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	next := begin(a, 2, "next")
	turns(next, 100)
	tell(next, &game.Over{})
	if err := a.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	summary(t, filepath.Join(dir, next.Name()))
	again, _ := open(t, Options{Dir: dir}) // the next start
	if err := again.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	summary(t, filepath.Join(dir, file))
}
