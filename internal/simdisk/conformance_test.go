package simdisk_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"w3host/internal/disk"
	"w3host/internal/simdisk"
)

// TestConformance runs the same accesses on the system's disk and on the simulated one: the results are the same.
func TestConformance(t *testing.T) {
	for name, accesses := range map[string]func(t *testing.T, d disk.Disk, dir string) []any{
		"create": func(_ *testing.T, d disk.Disk, dir string) []any {
			_, missing := d.OpenFile(dir+"/a", os.O_RDONLY, 0)
			_, folder := d.OpenFile(dir+"/none/a", os.O_CREATE|os.O_WRONLY, 0o600)
			f, err := d.OpenFile(dir+"/a", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
			_, again := d.OpenFile(dir+"/a", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
			return []any{errors.Is(missing, fs.ErrNotExist), errors.Is(folder, fs.ErrNotExist), err, errors.Is(again, fs.ErrExist), f.Close(), errors.Is(f.Close(), fs.ErrClosed)}
		},
		"write": func(t *testing.T, d disk.Disk, dir string) []any {
			f := must(d.OpenFile(dir+"/a", os.O_CREATE|os.O_RDWR, 0o644))(t)
			n, err := f.Write([]byte("hello"))
			m, err2 := f.WriteAt([]byte("LO there"), 3)
			k, err3 := f.WriteAt([]byte("!"), 14) // leaves a hole
			text := must(d.ReadFile(dir + "/a"))(t)
			err4 := f.Truncate(7)
			at, err5 := f.Write([]byte("X")) // goes on behind the first Write
			return []any{n, err, m, err2, k, err3, text, err4, at, err5, must(d.ReadFile(dir + "/a"))(t), must(f.Stat())(t).Size(), f.Sync(), f.Close()}
		},
		"append": func(t *testing.T, d disk.Disk, dir string) []any {
			err := errors.Join(disk.Append(d, dir+"/a", []byte("one "), 0o600), disk.Append(d, dir+"/a", []byte("two"), 0o600))
			text := must(d.ReadFile(dir + "/a"))(t)
			f := must(d.OpenFile(dir+"/a", os.O_TRUNC|os.O_WRONLY, 0o600))(t)
			return []any{err, text, f.Close(), must(d.Lstat(dir + "/a"))(t).Size()}
		},
		"read": func(t *testing.T, d disk.Disk, dir string) []any {
			err := disk.WriteFile(d, dir+"/a", []byte("0123456789"), 0o600)
			f := must(d.OpenFile(dir+"/a", os.O_RDONLY, 0))(t)
			b := make([]byte, 7)
			n, err2 := f.Read(b)
			rest, err3 := io.ReadAll(f)
			end, err4 := f.Read(b)
			return []any{err, n, err2, b, rest, err3, end, err4, f.Close()}
		},
		"rename over another": func(t *testing.T, d disk.Disk, dir string) []any {
			err := errors.Join(disk.WriteFile(d, dir+"/a", []byte("a"), 0o600), disk.WriteFile(d, dir+"/b", []byte("b"), 0o600))
			old := must(d.OpenFile(dir+"/b", os.O_RDONLY, 0))(t)
			err2 := d.Rename(dir+"/a", dir+"/b")
			kept, err3 := io.ReadAll(old) // an open file lives on
			missing := d.Rename(dir+"/a", dir+"/c")
			return []any{err, err2, must(d.ReadFile(dir + "/b"))(t), kept, err3, errors.Is(missing, fs.ErrNotExist), old.Close()}
		},
		"folders": func(t *testing.T, d disk.Disk, dir string) []any {
			err := d.MkdirAll(dir+"/x/y", 0o750)
			err2 := errors.Join(disk.WriteFile(d, dir+"/x/y/1", nil, 0o600), disk.WriteFile(d, dir+"/x/2", nil, 0o600), d.MkdirAll(dir+"/x/y", 0o750))
			var names []string
			for _, e := range must(d.ReadDir(dir + "/x"))(t) {
				names = append(names, fmt.Sprint(e.Name(), e.IsDir()))
			}
			full := d.Remove(dir + "/x/y")
			err3 := d.RemoveAll(dir + "/x")
			_, gone := d.ReadDir(dir + "/x")
			return []any{err, err2, names, full != nil, err3, errors.Is(gone, fs.ErrNotExist), d.RemoveAll(dir + "/x"), errors.Is(d.Remove(dir+"/x"), fs.ErrNotExist), d.SyncDir(dir)}
		},
		"locks": func(t *testing.T, d disk.Disk, dir string) []any {
			lock := must(d.Lock(dir + "/lock"))(t)
			_, held := d.Lock(dir + "/lock")
			err := lock.Unlock()
			again := must(d.Lock(dir + "/lock"))(t)
			return []any{errors.Is(held, disk.ErrLocked), err, again.Unlock(), must(d.ReadFile(dir + "/lock"))(t)}
		},
		"replace": func(t *testing.T, d disk.Disk, dir string) []any {
			err := errors.Join(disk.Replace(d, dir+"/a", []byte("1"), true), disk.Replace(d, dir+"/a", []byte("2"), false))
			var names []string
			for _, path := range disk.Names(d, dir, "") {
				names = append(names, filepath.Base(path))
			}
			return []any{err, must(d.ReadFile(dir + "/a"))(t), names}
		},
	} {
		t.Run(name, func(t *testing.T) {
			real := accesses(t, disk.System, t.TempDir())
			p := simdisk.New(1).Process(1)
			if err := p.MkdirAll("/d", 0o755); err != nil {
				t.Fatal(err)
			}
			sim := accesses(t, p, "/d")
			if p.Open() != 0 {
				t.Errorf("%d files are open", p.Open())
			}
			for i := range real {
				if got, want := fmt.Sprint(sim[i]), fmt.Sprint(real[i]); got != want {
					t.Errorf("result %d is %s, on the system's disk %s", i, got, want)
				}
			}
			if len(sim) != len(real) || slices.ContainsFunc(real, func(v any) bool { return v == false }) {
				t.Errorf("the system's disk: %v", real)
			}
		})
	}
}

// must returns the value, or ends the test.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
