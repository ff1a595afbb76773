package simdisk_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"w3host/internal/disk"
	"w3host/internal/simdisk"
)

// A full disk takes what it has room for, and more after a file was removed.
func TestFull(t *testing.T) {
	d := simdisk.New(1)
	p := d.Process(1)
	check(t, p.MkdirAll("/d", 0o755), disk.WriteFile(p, "/d/old", make([]byte, 600), 0o600))
	d.Set(simdisk.Faults{Capacity: 1000})
	f, err := p.OpenFile("/d/new", os.O_CREATE|os.O_WRONLY, 0o600)
	check(t, err)
	if n, err := f.Write(make([]byte, 500)); n != 400 || !errors.Is(err, syscall.ENOSPC) || d.Used() != 1000 {
		t.Errorf("%d bytes written, %v; %d used", n, err, d.Used())
	}
	if _, err := p.OpenFile("/d/third", os.O_CREATE|os.O_WRONLY, 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a new file on a full disk: %v", err)
	}
	check(t, p.Remove("/d/old"))
	if n, err := f.Write(make([]byte, 500)); n != 500 || err != nil || d.Used() != 900 {
		t.Errorf("%d bytes written, %v; %d used", n, err, d.Used())
	}
}

// A slow access takes virtual time; one that fails has no effect.
func TestSlowAndBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := simdisk.New(1)
		p := d.Process(1)
		check(t, p.MkdirAll("/d", 0o755))
		began := time.Now()
		d.Set(simdisk.Faults{Delay: func(string) time.Duration { return 3 * time.Second }})
		check(t, disk.WriteFile(p, "/d/a", []byte("a"), 0o600))
		if took := time.Since(began); took != 6*time.Second { // to open it, and to write
			t.Errorf("it took %v", took)
		}
		d.Set(simdisk.Faults{Fail: func(op, _ string) error {
			if op == "write" {
				return syscall.EIO
			}
			return nil
		}})
		if err := disk.Append(p, "/d/a", []byte("b"), 0o600); !errors.Is(err, syscall.EIO) {
			t.Error(err)
		}
		if text, err := p.ReadFile("/d/a"); string(text) != "a" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// A killed process leaves what it has written, and of the write in which it died a part. Its locks are free.
func TestKill(t *testing.T) {
	parts := map[int]bool{}
	for seed := range uint64(20) {
		d := simdisk.New(seed)
		p, steps := d.Process(1), 0
		check(t, p.MkdirAll("/d", 0o755))
		_, err := p.Lock("/d/lock")
		check(t, err, disk.WriteFile(p, "/d/a", []byte("whole"), 0o600))
		p.Step = func() bool { steps++; return steps == 2 }
		if err := disk.Append(p, "/d/a", []byte(" part"), 0o600); err == nil {
			t.Error("the process has survived")
		}
		if err := p.Remove("/d/a"); err == nil || p.Open() != 0 {
			t.Errorf("a dead process has removed a file: %v; %d files are open", err, p.Open())
		}
		next := d.Process(2)
		text, err := next.ReadFile("/d/a")
		if _, err2 := next.Lock("/d/lock"); err != nil || err2 != nil || !strings.HasPrefix("whole part", string(text)) || len(text) < len("whole") {
			t.Errorf("%q is left, %v; the lock: %v", text, err, err2)
		}
		parts[len(text)] = true
	}
	if len(parts) < 3 {
		t.Errorf("only %v bytes were left", parts)
	}
}

// A power cut leaves what was synced, and of the rest any blocks; a name only after a sync of its folder for certain.
func TestPowerCut(t *testing.T) {
	sizes, torn, names := map[int]bool{}, 0, map[bool]bool{}
	for seed := range uint64(50) {
		d := simdisk.New(seed)
		p := d.Process(1)
		check(t, p.MkdirAll("/d", 0o755))
		f, err := p.OpenFile("/d/a", os.O_CREATE|os.O_WRONLY, 0o600)
		check(t, err)
		_, err = f.Write(bytes.Repeat([]byte("s"), 700))
		check(t, err, f.Sync(), p.SyncDir("/d"))
		_, err = f.Write(bytes.Repeat([]byte("u"), 2000))
		check(t, err, disk.WriteFile(p, "/d/b", nil, 0o600))
		p.Kill()
		d.CutPower()
		text, err := d.Process(2).ReadFile("/d/a")
		check(t, err)
		if !bytes.Equal(text[:700], bytes.Repeat([]byte("s"), 700)) || len(text) > 2700 {
			t.Errorf("seed %d: of the synced part is left %q", seed, text)
		}
		sizes[len(text)] = true
		if bytes.ContainsRune(text, 0) {
			torn++
		}
		names[slices.Contains(d.Files(), "/d/b")] = true
	}
	if len(sizes) < 10 || torn == 0 || len(names) != 2 {
		t.Errorf("sizes %v, %d torn, names %v", sizes, torn, names)
	}
}

func check(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
