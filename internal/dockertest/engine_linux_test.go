package dockertest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"w3host/internal/tier"
)

// testVersion is the build argument VERSION of the builds here.
const testVersion = "v0.0.0-dockertest"

// engine builds images; each method ends the test where something fails.
type engine interface {
	// build makes an image of a folder and a Dockerfile, and returns its file
	// system and configuration.
	build(t *testing.T, context, dockerfile string) (dir string, c imageConfig)
}

// theEngine is the first that works here. What does not is skipped in the log.
func theEngine(t *testing.T) engine {
	t.Helper()
	tier.All(t, "builds the whole program")
	own, err := startDockerd()
	if err == nil {
		own.bases(t)
		return own.docker
	}
	t.Logf("SKIPPED: no engine is started: %v", err)
	d := docker{tool{name: "docker", dir: t.TempDir()}}
	if _, err := d.try(t, "version", "--format", "{{.Server.Version}}"); err == nil {
		return d
	}
	dir := t.TempDir()
	b := buildah{tool{name: "buildah", dir: dir, always: []string{
		"--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs",
	}}}
	if err := b.works(t); err != nil {
		tier.Unable(t, "needs Docker or Buildah (apt-get install docker.io buildah): %v", err)
	}
	return b
}

// buildah keeps its images in a store of its own, which goes with the test.
type buildah struct{ tool }

// standIn is an image in the place of golang: Go, a shell and the caches are
// this machine's, bound into each RUN. So the build needs no network.
const standIn = `FROM scratch
WORKDIR /tmp
COPY ca-certificates.crt /etc/ssl/certs/
ENV PATH=/usr/local/bin:/usr/bin:/bin:%s/bin GOENV=off GOTOOLCHAIN=local GOPROXY=off GOCACHE=/cache/build GOMODCACHE=/cache/mod
`

// works tries a RUN, which takes rights that containers may lack.
func (b buildah) works(t *testing.T) error {
	t.Helper()
	if _, err := exec.LookPath(b.name); err != nil {
		return err
	}
	file := filepath.Join(b.dir, "Dockerfile")
	write(t, file, []byte("FROM golang\nRUN true\n"))
	_, err := b.try(t, append(b.standIn(t), "--file", file, b.dir)...)
	return err
}

func (b buildah) build(t *testing.T, context, dockerfile string) (string, imageConfig) {
	t.Helper()
	args := []string{"bud", "--isolation", "chroot"}
	if text, err := os.ReadFile(dockerfile); err != nil {
		t.Fatal(err)
	} else if !bytes.HasPrefix(text, []byte("FROM scratch")) {
		args = b.standIn(t)
	}
	b.run(t, append(args, "--format", "docker", "--build-arg", "VERSION="+testVersion, "--tag", "w3host-test", "--file", dockerfile, context)...)
	var image struct {
		Docker struct {
			Config imageConfig `json:"config"`
		}
	}
	decode(t, b.run(t, "inspect", "--type", "image", "w3host-test"), &image)
	container := b.run(t, "from", "--pull-never", "w3host-test")
	t.Cleanup(func() { b.run(t, "rm", container) })
	return b.run(t, "mount", container), image.Docker.Config
}

// standIn makes the image and returns the command of a build on it.
func (b buildah) standIn(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "env", "-json", "GOROOT", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	var settings map[string]string
	decode(t, string(out), &settings)
	base := t.TempDir()
	roots, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
	if err != nil {
		t.Fatalf("%v (apt-get install ca-certificates)", err)
	}
	write(t, filepath.Join(base, "ca-certificates.crt"), roots)
	write(t, filepath.Join(base, "Dockerfile"), fmt.Appendf(nil, standIn, settings["GOROOT"]))
	b.run(t, "bud", "--isolation", "chroot", "--tag", "stand-in", base)
	args := []string{
		"bud", "--isolation", "chroot", "--from", "stand-in", "--pull-never",
		"--volume", settings["GOCACHE"] + ":/cache/build", "--volume", settings["GOMODCACHE"] + ":/cache/mod:ro",
		"--volume", settings["GOROOT"] + ":" + settings["GOROOT"] + ":ro",
	}
	for _, system := range []string{"/bin", "/lib", "/lib64", "/usr"} {
		if _, err := os.Stat(system); err == nil {
			args = append(args, "--volume", system+":"+system+":ro")
		}
	}
	return args
}

// docker builds with the daemon of this machine, which fetches the base image.
type docker struct{ tool }

func (d docker) build(t *testing.T, context, dockerfile string) (string, imageConfig) {
	t.Helper()
	d.run(t, "build", "--quiet", "--build-arg", "VERSION="+testVersion, "--tag", "w3host-test", "--file", dockerfile, context)
	var c imageConfig
	decode(t, d.run(t, "image", "inspect", "--format", "{{json .Config}}", "w3host-test"), &c)
	container := d.run(t, "create", "w3host-test", "/none") // it is never started
	dir, tar := t.TempDir(), filepath.Join(t.TempDir(), "image.tar")
	_, err := d.try(t, "export", "--output", tar, container)
	d.run(t, "rm", "--volumes", container)
	d.run(t, "image", "rm", "w3host-test")
	if err != nil {
		t.Fatal(err)
	}
	tool{name: "tar", dir: d.dir}.run(t, "-xpf", tar, "--numeric-owner", "-C", dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir, c
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// No secret, no map and no script of the game gets into a build, wherever an
// operator has put it in their clone.
func TestContextHasNoSecrets(t *testing.T) {
	kept := []string{"go.mod", "go.sum", "cmd/w3host/main.go", "migrations/postgres/00001_game_log.sql"}
	secret := []string{
		".env", ".env.production", "config.toml", "data/w3host.db", "data/spool/1", "w3host", ".git/config",
		"maps/one.w3x", "maps/deep/two.w3m", "here.w3x", "scripts/common.j", "scripts/1.26/blizzard.j",
	}
	e := theEngine(t)
	context, dockerfile := t.TempDir(), filepath.Join(t.TempDir(), "Dockerfile")
	write(t, dockerfile, []byte("FROM scratch\nCOPY . /\n"))
	for _, name := range append(kept, secret...) {
		write(t, filepath.Join(context, name), []byte("x"))
	}
	write(t, filepath.Join(context, ".dockerignore"), []byte(readFile(t, ".dockerignore")))
	dir, _ := e.build(t, context, dockerfile)
	for _, name := range kept {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf(".dockerignore keeps %s from the build", name)
		}
	}
	for _, name := range secret {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf(".dockerignore lets %s into the image's build", name)
		}
	}
	dir, _ = e.build(t, root, dockerfile)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := d.Info(); err == nil && info.Size() > 1<<20 {
			t.Errorf("%s has %d bytes, and the build hardly needs it: add it to .dockerignore", strings.TrimPrefix(name, dir), info.Size())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
