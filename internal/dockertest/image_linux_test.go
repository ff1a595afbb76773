package dockertest

import (
	"context"
	"debug/elf"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// maxImage is how many bytes an image may have: 34 MB and some room, so that a new dependency does not come in unnoticed. The web console takes 7 of them: HTTP, TLS, templates, OpenAPI and
// Prometheus.
const maxImage = 36_000_000

// patience is for what takes a moment, on a busy machine too.
const patience = 30 * time.Second

func TestImage(t *testing.T) {
	e := theEngine(t)
	dir, c := e.build(t, root, filepath.Join(root, "Dockerfile"))
	i := image{dir: dir, config: c}
	i.checkConfig(t)
	i.checkFiles(t)
	i.checkStatic(t)
	if t.Failed() {
		return
	}
	if out := i.output(t, "version"); out != "w3host "+testVersion+"\n" {
		t.Errorf("w3host version prints %q", out)
	}
	if shared.engine == nil { // else TestDeployed plays on the image
		i.checkHosting(t)
	}
}

// image is a file system and how it is to be run.
type image struct {
	dir    string
	config imageConfig
	env    []string
}

func (i image) uid() int {
	uid, _, _ := strings.Cut(i.config.User, ":")
	n, err := strconv.Atoi(uid)
	if err != nil {
		return 0
	}
	return n
}

// command runs the program in the image and nothing but the image, as its user;
// that takes root. Anybody else runs it as themselves, in the folder of the image.
func (i image) command(ctx context.Context, args ...string) *exec.Cmd {
	program := i.config.Entrypoint[0]
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = i.config.WorkingDir
	cmd.Env = append(slices.Clone(i.config.Env), i.env...)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Chroot:     i.dir,
			Credential: &syscall.Credential{Uid: uint32(i.uid()), Gid: uint32(i.uid())},
		}
	} else {
		cmd.Path, cmd.Dir = filepath.Join(i.dir, program), filepath.Join(i.dir, i.config.WorkingDir)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // as "docker stop" does
	return cmd
}

func (i image) output(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := i.command(ctx, args...).Output()
	if err != nil {
		t.Errorf("w3host %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (i image) checkConfig(t *testing.T) {
	t.Helper()
	want := wanted()
	if i.uid() == 0 {
		t.Errorf("the image runs as %q: that is root, or a name that orchestrators cannot check", i.config.User)
	}
	if i.config.User != want.User || !slices.Equal(i.config.Entrypoint, want.Entrypoint) || i.config.WorkingDir != want.WorkingDir || !slices.Equal(i.config.Cmd, want.Cmd) {
		t.Errorf("the image runs as %+v, want %+v", i.config, want)
	}
	if !maps.Equal(i.config.Volumes, want.Volumes) || !maps.Equal(i.config.ExposedPorts, want.ExposedPorts) {
		t.Errorf("volumes %v, ports %v; want %v, %v", i.config.Volumes, i.config.ExposedPorts, want.Volumes, want.ExposedPorts)
	}
	if i.config.Healthcheck == nil || !slices.Equal(i.config.Healthcheck.Test, want.Healthcheck.Test) {
		t.Errorf("the health check is %+v", i.config.Healthcheck)
	}
}

// checkFiles looks at size and permissions.
func (i image) checkFiles(t *testing.T) {
	t.Helper()
	var size int64
	names := map[string]fs.FileInfo{}
	for name, info := range i.files(t) {
		names[name] = info
		if info.Mode().IsRegular() {
			size += info.Size()
		}
		owner := int(info.Sys().(*syscall.Stat_t).Uid)
		if os.Geteuid() == 0 && owner != 0 && name != "/data" && name != "/fdstore" {
			t.Errorf("%s belongs to %d, not to root", name, owner)
		}
		if info.Mode()&0o002 != 0 && info.Mode()&fs.ModeSymlink == 0 && name != "/tmp" {
			t.Errorf("%s can be written to by anybody", name)
		}
	}
	t.Logf("the image has %d bytes in %d files and folders", size, len(names))
	if size > maxImage {
		t.Errorf("the image has %d bytes, more than %d", size, maxImage)
	}
	if tmp := names["/tmp"]; tmp != nil && tmp.Mode()&(fs.ModeSticky|fs.ModePerm) != fs.ModeSticky|fs.ModePerm {
		t.Errorf("/tmp has the permissions %v", tmp.Mode())
	}
	for _, name := range []string{"/data", "/maps", "/scripts", "/tmp", "/fdstore"} {
		if info := names[name]; info == nil || !info.IsDir() {
			t.Errorf("the image lacks the folder %s", name)
		}
	}
	if info := names["/etc/ssl/certs/ca-certificates.crt"]; info == nil || info.Size() == 0 {
		t.Error("the image has no root certificates: a database with TLS could not be trusted")
	}
	for _, name := range []string{"/data", "/fdstore"} {
		if os.Geteuid() == 0 && names[name] != nil && int(names[name].Sys().(*syscall.Stat_t).Uid) != i.uid() {
			t.Errorf("%s does not belong to the user of the image: a new volume takes its owner from there", name)
		}
	}
}

// files is everything in the image, by its path there.
func (i image) files(t *testing.T) map[string]fs.FileInfo {
	t.Helper()
	all := map[string]fs.FileInfo{}
	err := filepath.WalkDir(i.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == i.dir {
			return err
		}
		info, err := d.Info()
		all[strings.TrimPrefix(p, i.dir)] = info
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// checkStatic wants a program that needs no other file to run.
func (i image) checkStatic(t *testing.T) {
	t.Helper()
	f, err := elf.Open(filepath.Join(i.dir, i.config.Entrypoint[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program needs a dynamic loader")
		}
	}
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("the program needs libraries: %v %v", libraries, err)
	}
	if f.Section(".symtab") != nil || f.Section(".debug_info") != nil {
		t.Error("the program is not stripped")
	}
}
