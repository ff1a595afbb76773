package dockertest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tool runs one builder's commands.
type tool struct {
	name   string
	always []string // flags of every call
	dir    string   // for its temporary files
}

func (x tool) try(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), x.name, append(x.always, args...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+x.dir)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s%s", x.name, args[0], err, out, errs.String())
	}
	return strings.TrimSpace(string(out)), err
}

func (x tool) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := x.try(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// standIn is an image in the place of golang: Go, a shell and the caches are
// this machine's, bound into each RUN. So the build needs no network.
const standIn = `FROM scratch
WORKDIR /tmp
COPY ca-certificates.crt /etc/ssl/certs/
ENV PATH=/usr/local/bin:/usr/bin:/bin:%s/bin GOENV=off GOTOOLCHAIN=local GOPROXY=off GOCACHE=/cache/build GOMODCACHE=/cache/mod
`

// withBuildah builds the image with Buildah, in a store of its own. It returns
// the image's file system.
func withBuildah(t *testing.T) (string, imageConfig) {
	t.Helper()
	dir := t.TempDir()
	x := tool{name: "buildah", dir: dir, always: []string{
		"--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs",
	}}
	settings := goSettings(t, "GOROOT", "GOCACHE", "GOMODCACHE")
	base := filepath.Join(dir, "base")
	if err := os.Mkdir(base, 0o755); err != nil {
		t.Fatal(err)
	}
	copyFile(t, "/etc/ssl/certs/ca-certificates.crt", filepath.Join(base, "ca-certificates.crt"), 0)
	if err := os.WriteFile(filepath.Join(base, "Dockerfile"), fmt.Appendf(nil, standIn, settings["GOROOT"]), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := x.try(t, "bud", "--isolation", "chroot", "--tag", "stand-in", base); err != nil {
		t.Skipf("Buildah does not work here: %v", err)
	}
	args := []string{
		"bud", "--isolation", "chroot", "--format", "docker", "--from", "stand-in", "--pull-never",
		"--build-arg", "VERSION=" + testVersion, "--tag", "w3host-test",
		"--volume", settings["GOCACHE"] + ":/cache/build", "--volume", settings["GOMODCACHE"] + ":/cache/mod:ro",
		"--volume", settings["GOROOT"] + ":" + settings["GOROOT"] + ":ro",
	}
	for _, system := range []string{"/bin", "/lib", "/lib64", "/usr"} {
		if _, err := os.Stat(system); err == nil {
			args = append(args, "--volume", system+":"+system+":ro")
		}
	}
	x.run(t, append(args, root)...)

	var image struct {
		Docker struct {
			Config imageConfig `json:"config"`
		}
	}
	if err := json.Unmarshal([]byte(x.run(t, "inspect", "--type", "image", "w3host-test")), &image); err != nil {
		t.Fatal(err)
	}
	container := x.run(t, "from", "--pull-never", "w3host-test")
	t.Cleanup(func() {
		if out, err := exec.Command(x.name, append(x.always, "rm", container)...).CombinedOutput(); err != nil {
			t.Errorf("buildah rm: %v\n%s", err, out)
		}
	})
	return x.run(t, "mount", container), image.Docker.Config
}

// withDocker builds the image with Docker, where its daemon answers and has
// the base image or can fetch it.
func withDocker(t *testing.T) (string, imageConfig) {
	t.Helper()
	x := tool{name: "docker", dir: t.TempDir()}
	if _, err := x.try(t, "version", "--format", "{{.Server.Version}}"); err != nil {
		t.Skipf("Docker does not work here: %v", err)
	}
	_, stages := readDockerfile(t)
	if _, err := x.try(t, "image", "inspect", stages[0].base); err != nil {
		if _, err := x.try(t, "pull", "--quiet", stages[0].base); err != nil {
			t.Skipf("Docker has no base image: %v", err)
		}
	}
	x.run(t, "build", "--quiet", "--build-arg", "VERSION="+testVersion, "--tag", "w3host-test", root)
	t.Cleanup(func() { _ = exec.Command(x.name, "image", "rm", "w3host-test").Run() })
	var c imageConfig
	if err := json.Unmarshal([]byte(x.run(t, "image", "inspect", "--format", "{{json .Config}}", "w3host-test")), &c); err != nil {
		t.Fatal(err)
	}
	container := x.run(t, "create", "w3host-test")
	dir := t.TempDir()
	tar := filepath.Join(x.dir, "image.tar")
	_, err := x.try(t, "export", "--output", tar, container)
	x.run(t, "rm", "--volumes", container)
	if err != nil {
		t.Fatal(err)
	}
	tool{name: "tar", dir: x.dir}.run(t, "-xpf", tar, "--numeric-owner", "-C", dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir, c
}
