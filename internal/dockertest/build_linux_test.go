package dockertest

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// testVersion is the build argument VERSION of every build here.
const testVersion = "v0.0.0-dockertest"

// carryOut does what the Dockerfile says, in empty folders: COPY takes what
// .dockerignore lets through, RUN lines run with this machine in the place of
// the base image. It returns the file system of the last stage.
//
// RUN lines must write to relative paths only: nothing holds them in the stage.
func carryOut(t *testing.T) string {
	t.Helper()
	_, stages := readDockerfile(t)
	done := map[string]string{}
	var dir string
	for _, s := range stages {
		dir = t.TempDir()
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		done[s.name] = dir
		b := build{dir: dir, workdir: "/", env: goEnvironment(t)}
		for _, step := range s.steps {
			b.do(t, step, done)
		}
	}
	return dir
}

// build is one stage in the making.
type build struct {
	dir     string // its file system
	workdir string
	env     []string
}

func (b *build) do(t *testing.T, step instruction, stages map[string]string) {
	t.Helper()
	switch step.name {
	case "WORKDIR":
		b.workdir = b.inside(step.text)
		if err := os.MkdirAll(filepath.Join(b.dir, b.workdir), 0o755); err != nil {
			t.Fatal(err)
		}
	case "ARG":
		name, value, _ := strings.Cut(step.text, "=")
		if name == "VERSION" {
			value = testVersion
		}
		b.env = append(b.env, name+"="+value)
	case "RUN":
		cmd := exec.CommandContext(t.Context(), "sh", "-c", step.text)
		cmd.Dir, cmd.Env = filepath.Join(b.dir, b.workdir), b.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("Dockerfile line %d: RUN %s: %v\n%s", step.line, step.text, err, out)
		}
	case "COPY":
		b.copy(t, step, stages)
	case "ENV", "LABEL", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT": // see dockerfileConfig
	default:
		t.Fatalf("Dockerfile line %d: this test does not know %s", step.line, step.name)
	}
}

// inside is a path of the image, absolute.
func (b *build) inside(name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(b.workdir, name)
}

func (b *build) copy(t *testing.T, step instruction, stages map[string]string) {
	t.Helper()
	words := step.list(t)
	if len(words) != 2 {
		t.Fatalf("Dockerfile line %d: this test knows COPY with one source", step.line)
	}
	to := filepath.Join(b.dir, b.inside(words[1]))
	from := step.flag("from")
	if from == "" {
		if words[0] != "." {
			t.Fatalf("Dockerfile line %d: this test knows COPY of the whole context", step.line)
		}
		for _, file := range contextFiles(t) {
			copyFile(t, filepath.Join(root, file), filepath.Join(to, file), 0)
		}
		return
	}
	stage, ok := stages[from]
	if !ok {
		t.Fatalf("Dockerfile line %d: there is no stage %q", step.line, from)
	}
	owner, _, _ := strings.Cut(step.flag("chown"), ":")
	uid, _ := strconv.Atoi(owner)
	source := filepath.Join(stage, words[0])
	err := filepath.WalkDir(source, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == source {
			return err
		}
		rel, err := filepath.Rel(source, p)
		if err == nil {
			copyFile(t, p, filepath.Join(to, rel), uid)
		}
		return err
	})
	if err != nil {
		t.Fatalf("Dockerfile line %d: %v", step.line, err)
	}
}

// copyFile copies a file or makes a folder, with its permissions. Only root can
// give it to somebody.
func copyFile(t *testing.T, from, to string, uid int) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		err = os.MkdirAll(to, 0o755)
	} else {
		var data []byte
		if data, err = os.ReadFile(from); err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, data, 0o644)
		}
	}
	if err == nil {
		err = os.Chmod(to, info.Mode()&(fs.ModePerm|fs.ModeSticky))
	}
	if err == nil && os.Geteuid() == 0 {
		err = os.Chown(to, uid, uid)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// goEnvironment is what a RUN line finds: Go with this machine's caches, and
// none of this machine's settings.
func goEnvironment(t *testing.T) []string {
	t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GOENV=off", "GOTOOLCHAIN=local"}
	for name, value := range goSettings(t, "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE") {
		env = append(env, name+"="+value)
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func goSettings(t *testing.T, names ...string) (values map[string]string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"env", "-json"}, names...)...).Output()
	if err == nil {
		err = json.Unmarshal(bytes.TrimSpace(out), &values)
	}
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	return values
}
