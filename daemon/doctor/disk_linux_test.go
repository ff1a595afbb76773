package doctor

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"w3host/config"
	"w3host/internal/tier"
)

// A full disk is a fault, although an empty file can be made on it.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		tier.Unable(t, "needs root to mount a small disk: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	c := config.Default()
	c.Database.Spool, c.Replays.Dir = filepath.Join(dir, "spool"), filepath.Join(dir, "replays", "new")
	for _, look := range []Finding{checkSpool(t.Context(), c), checkReplays(t.Context(), c)} {
		if !strings.Contains(look.Detail, "is writable, with 1.0 MB free") || !strings.Contains(look.Remedy, "free some space") {
			t.Errorf("a small disk: %+v", look)
		}
	}
	_ = os.WriteFile(filepath.Join(dir, "ballast"), bytes.Repeat([]byte{'x'}, 2<<20), 0o600) // as much as there is room for
	for _, look := range []Finding{checkSpool(t.Context(), c), checkReplays(t.Context(), c)} {
		if !strings.Contains(look.Detail, "no space left on device") || !strings.Contains(look.Remedy, "free some space") {
			t.Errorf("a full disk: %+v", look)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".w3host*")); left != nil {
		t.Errorf("the doctor leaves %v", left)
	}
}
