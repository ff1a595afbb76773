package dockertest

import (
	"bytes"
	"cmp"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"w3host/internal/tier"
)

// A release is the same bytes wherever it is made, and whoever makes it.
func TestReleaseIsReproducible(t *testing.T) {
	tier.All(t, "builds the whole program")
	first, second := firstRelease(t), release(t, "077")
	names := slices.Sorted(maps.Keys(first))
	if !slices.Equal(names, slices.Sorted(maps.Keys(second))) {
		t.Fatalf("%q and %q", names, slices.Sorted(maps.Keys(second)))
	}
	for _, name := range names {
		if !bytes.Equal(first[name], second[name]) {
			t.Errorf("%s differs between two folders", name)
		}
		if !strings.Contains(string(first["SHA256SUMS"]), "  "+name+"\n") && name != "SHA256SUMS" {
			t.Errorf("SHA256SUMS does not have %s", name)
		}
	}
	arch := runtime.GOARCH
	want := []string{"w3host_9.8.7_linux_" + arch + ".tar.gz", "w3host_9.8.7_" + arch + ".deb", "w3host_9.8.7.cdx.json"}
	if _, err := exec.LookPath("buildah"); err == nil {
		want = append(want, "w3host_9.8.7_image_"+arch+".tar.gz")
	}
	for _, name := range want {
		if len(first[name]) == 0 {
			t.Errorf("the release lacks %s: %q", name, names)
		}
	}
	checkPackage(t, first["w3host_9.8.7_"+arch+".deb"])
}

var made struct {
	sync.Once
	files map[string][]byte
}

// firstRelease is made once for all tests.
func firstRelease(t *testing.T) map[string][]byte {
	t.Helper()
	made.Do(func() { made.files = release(t, "022") })
	if made.files == nil {
		t.Fatal("no release was made")
	}
	return made.files
}

// release makes one of a copy of the source, for this machine's system only.
func release(t *testing.T, umask string) map[string][]byte {
	t.Helper()
	source, dist := t.TempDir(), t.TempDir()
	if err := copySource(source); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "umask "+umask+" && exec scripts/release.sh linux/"+runtime.GOARCH)
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "VERSION=v9.8.7", "SOURCE_DATE_EPOCH=1700000000", "DIST="+dist)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("scripts/release.sh: %v\n%s", err, out)
	}
	files := map[string][]byte{}
	entries, err := os.ReadDir(dist)
	for _, e := range entries {
		data, readErr := os.ReadFile(filepath.Join(dist, e.Name()))
		files[e.Name()], err = data, cmp.Or(err, readErr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// copySource leaves out what git ignores, and git's own.
func copySource(to string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		switch {
		case slices.Contains([]string{".git", "dist", "data", "replays", "bin", "w3host", "config.toml", ".env"}, name):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, info.Mode().Perm())
	})
}

// checkPackage looks into a package for what its unit needs, and what people look for.
func checkPackage(t *testing.T, deb []byte) {
	t.Helper()
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Logf("SKIPPED: the package is not looked into: %v", err)
		return
	}
	file, dir := filepath.Join(t.TempDir(), "w3host.deb"), t.TempDir()
	write(t, file, deb)
	tool{name: "dpkg-deb"}.run(t, "--raw-extract", file, dir)
	for _, name := range []string{
		"usr/bin/w3host", "etc/w3host/config.toml", "etc/w3host/environment", "DEBIAN/postinst", "DEBIAN/prerm",
		"usr/share/man/man1/w3host-serve.1.gz", "usr/share/doc/w3host/deployment.md", "usr/share/doc/w3host/copyright",
		"usr/share/doc/w3host/cli/w3host_serve.md", "usr/share/bash-completion/completions/w3host",
	} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("the package lacks %s: %v", name, err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "etc/w3host/environment")); err == nil && info.Mode().Perm() != 0o600 {
		t.Errorf("passwords can be read: %v", info.Mode())
	}
	unit, err := os.ReadFile(filepath.Join(dir, "usr/lib/systemd/system/w3host.service"))
	if err != nil || !strings.Contains(string(unit), "ExecStart=/usr/bin/w3host ") || strings.Contains(string(unit), "/usr/local") {
		t.Errorf("the unit of the package: %v\n%s", err, unit)
	}
	program := tool{name: filepath.Join(dir, "usr/bin/w3host")}
	if out := program.run(t, "version"); !strings.Contains(out, "v9.8.7") {
		t.Errorf("w3host version prints %q", out)
	}
}
