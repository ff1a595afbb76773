//go:build unix

package catalogue_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"w3host/formats/catalogue"
)

// Names in GBK and CP1251 are bytes like others: they are listed, found, kept apart, and survive the cache.
func TestNamesThatAreNotUTF8(t *testing.T) {
	dir := t.TempDir()
	const gbk, other, cyrillic = "\xca\xd0\xcb\xf2.w3x", "\xca\xd0\xcb\xf3.w3x", "\xea\xe0\xf0\xf2\xfb/\xc4\xee\xf2\xe0 1.w3x"
	for _, name := range []string{gbk, other, cyrillic, "plain.w3x"} {
		put(t, filepath.Join(dir, name), named(name))
	}
	put(t, filepath.Join(dir, "\xca\xd0\xcb\xf2.toml"), []byte(`name = "sidecar"`))
	opts := quick
	opts.Cache = filepath.Join(t.TempDir(), "maps.json")
	for _, when := range []string{"cold", "warm", "warm again"} {
		c := open(t, dir, opts)
		if n := len(c.Files()); n != 4 {
			t.Fatalf("%s: %d maps", when, n)
		}
		for query, want := range map[string]string{
			gbk: gbk, other: other, `\xca\xd0\xcb\xf2.w3x`: gbk, `\xca\xd0\xcb\xf3`: other, "\xc4\xee\xf2\xe0": cyrillic, "sidecar": gbk, "plain": "plain.w3x",
		} {
			e, err := c.Find(query)
			if err != nil || e.File != want {
				t.Errorf("%s: %q finds %v (%v), want %q", when, query, e, err, want)
				continue
			}
			if e.Map.File != filepath.Base(want) || e.Map.Path != `Maps\Download\`+filepath.Base(want) {
				t.Errorf("%s: %q has the path %q", when, want, e.Map.Path)
			}
			if _, err := os.Stat(c.Path(e)); err != nil {
				t.Error(err)
			}
		}
		var many *catalogue.AmbiguousError
		if _, err := c.Find("\xca\xd0"); !errors.As(err, &many) || !strings.Contains(err.Error(), `\xca\xd0\xcb\xf2.w3x, \xca\xd0\xcb\xf3.w3x`) {
			t.Errorf("%s: %v", when, err)
		}
	}
}

// What is no file, as a map or beside one, is a fault and does not hold up the others.
func TestPipesAndDevicesInTheFolder(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.w3x"), named("a"))
	put(t, filepath.Join(dir, "good.w3x"), named("good"))
	for _, name := range []string{"pipe.w3x", "a.toml"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"zero.w3m": "/dev/zero", "folder.w3x": t.TempDir(), "nothing.w3x": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, e := range open(t, dir, quick).Files() {
		line := e.File + ":"
		if e.Fault != nil {
			line += " " + strings.ReplaceAll(e.Fault.Error(), dir+"/", "")
		}
		got = append(got, line)
	}
	want := "a.w3x: a.toml is a named pipe, not a file\ngood.w3x:\npipe.w3x: pipe.w3x is a named pipe, not a file\nzero.w3m: zero.w3m is a device, not a file"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// A map, or the file beside it, that could not be opened is tried at each look: rights may change without a new time.
func TestOpenedLater(t *testing.T) {
	dir := t.TempDir()
	opts := quick
	opts.Cache = filepath.Join(t.TempDir(), "maps.json")
	put(t, filepath.Join(dir, "a.w3x"), named("a"))
	put(t, filepath.Join(dir, "a.toml"), []byte(`name = "other"`))
	for _, name := range []string{"a.w3x", "a.toml"} {
		path := filepath.Join(dir, name)
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		if f, err := os.Open(path); err == nil {
			f.Close()
			t.Skip("this user may open all files")
		}
		c := open(t, dir, opts)
		if e := c.Files()[0]; e.Fault == nil || !strings.Contains(e.Fault.Error(), "permission denied") {
			t.Fatalf("%s: fault %v", name, e.Fault)
		}
		if news, err := c.Scan(t.Context()); news || err != nil {
			t.Errorf("%s: news %t, %v while nothing changes", name, news, err)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if e := open(t, dir, opts).Files()[0]; e.Fault != nil {
			t.Errorf("%s: the next start has %v", name, e.Fault)
		}
		if news, err := c.Scan(t.Context()); !news || err != nil || c.Files()[0].Fault != nil {
			t.Errorf("%s: news %t, %v, fault %v", name, news, err, c.Files()[0].Fault)
		}
	}
}

// A sub-folder that cannot be read is reported once, too.
func TestClosedFolderIsReportedOnce(t *testing.T) {
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadDir(closed); err == nil {
		t.Skip("this user may read all folders")
	}
	opts, reports := quick, 0
	opts.Report = func(error) { reports++ }
	c := open(t, dir, opts)
	for range 3 {
		if _, err := c.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if reports != 1 {
		t.Errorf("%d reports", reports)
	}
}
