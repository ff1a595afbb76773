package dockertest

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The images that the Dockerfile and compose.yaml begin with, under their names: no registry
// is asked for them. Their programs are this machine's, those of Debian's packages and Go.

// layer is the file system of an image that is being made.
type layer struct {
	t    *testing.T
	tar  *tar.Writer
	have map[string]bool
}

// dir adds an empty folder, with those above it.
func (l layer) dir(name string, mode int64, owner int) {
	if name == "/" || l.have[name] {
		return
	}
	l.dir(filepath.Dir(name), 0o755, 0)
	l.add(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: mode, Uid: owner, Gid: owner}, nil)
}

// file adds one with this text.
func (l layer) file(name string, mode fs.FileMode, text []byte) {
	if !l.have[name] {
		l.dir(filepath.Dir(name), 0o755, 0)
		l.add(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(mode.Perm()), Size: int64(len(text))}, text)
	}
}

func (l layer) add(h *tar.Header, text []byte) {
	l.have[h.Name] = true
	h.Name = strings.TrimPrefix(h.Name, "/")
	if err := l.tar.WriteHeader(h); err != nil {
		l.t.Fatal(err)
	}
	if _, err := l.tar.Write(text); err != nil {
		l.t.Fatal(err)
	}
}

// copy adds files of this machine under a name, where links become what they lead to.
func (l layer) copy(from, name string) {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return nil //nolint:nilerr // it leads nowhere, or to a folder
		}
		text, err := os.ReadFile(path)
		l.file(filepath.Join(name, strings.TrimPrefix(path, from)), info.Mode(), text)
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// libraries adds what programs are linked to.
func (l layer) libraries(programs ...string) {
	out, _ := exec.Command("ldd", programs...).Output() // an error: one is linked to nothing
	for word := range strings.FieldsSeq(string(out)) {
		if strings.HasPrefix(word, "/") && !strings.HasSuffix(word, ":") {
			l.copy(word, word)
		}
	}
}

// commands adds some of this machine's, with their libraries.
func (l layer) commands(names ...string) {
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			l.t.Fatal(err)
		}
		l.copy(path, "/bin/"+name)
		l.libraries(path)
	}
}

// golang has this machine's Go, the files of libraries that the program is made of, and
// what Go has kept of earlier builds of them: a build of everything takes two minutes.
func golang(l layer) []string {
	var at struct{ GOROOT, GOCACHE, GOMODCACHE, GOHOSTARCH string }
	decode(l.t, tool{name: "go"}.run(l.t, "env", "-json"), &at)
	l.commands("sh", "mkdir", "cp")
	l.copy("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs/ca-certificates.crt")
	l.dir("/tmp", 0o1777, 0)
	for _, name := range []string{"bin/go", "VERSION", "go.env", "pkg/include", "pkg/tool/linux_" + at.GOHOSTARCH} {
		l.copy(filepath.Join(at.GOROOT, name), filepath.Join("/usr/local/go", name))
	}
	list := exec.Command("go", "list", "-deps", "-export", "-trimpath", "-tags", "timetzdata", "-json", "./cmd/w3host")
	list.Dir, list.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		l.t.Fatal(err)
	}
	kept := map[string]bool{}
	for packages := json.NewDecoder(bytes.NewReader(out)); packages.More(); {
		var p struct {
			Dir, Export                         string
			GoFiles, SFiles, HFiles, EmbedFiles []string
		}
		if err := packages.Decode(&p); err != nil {
			l.t.Fatal(err)
		}
		for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.HFiles, p.EmbedFiles) {
			path := filepath.Join(p.Dir, name)
			if in, ok := strings.CutPrefix(path, at.GOROOT); ok {
				l.copy(path, "/usr/local/go"+in)
			} else if in, ok := strings.CutPrefix(path, at.GOMODCACHE); ok {
				l.copy(path, "/go/mods"+in)
			}
		}
		if in, ok := strings.CutPrefix(p.Export, at.GOCACHE); ok {
			l.copy(p.Export, "/go/cache"+in)
			kept[strings.TrimSuffix(filepath.Base(in), "-d")] = true
		}
	}
	l.actions(at.GOCACHE, kept)
	l.modules(filepath.Join(at.GOMODCACHE, "cache", "download"))
	return []string{
		"ENV PATH=/usr/local/go/bin:/bin", "ENV HOME=/tmp", "ENV GOTOOLCHAIN=local", "ENV GOPROXY=off", "ENV GOCACHE=/go/cache", "ENV GOMODCACHE=/go/mods",
	}
}

// actions adds the entries of Go's cache by which it finds what it has kept: "v1", what
// was done, what came of it.
func (l layer) actions(cache string, kept map[string]bool) {
	entries, err := filepath.Glob(filepath.Join(cache, "*", "*-a"))
	if err != nil {
		l.t.Fatal(err)
	}
	for _, path := range entries {
		text, err := os.ReadFile(path)
		if words := strings.Fields(string(text)); err == nil && len(words) > 2 && kept[words[2]] {
			l.file("/go/cache"+strings.TrimPrefix(path, cache), 0o644, text)
		}
	}
}

// modules adds what Go knows of modules, without their files.
func (l layer) modules(downloads string) {
	err := filepath.WalkDir(downloads, func(path string, d fs.DirEntry, err error) error {
		if err == nil && slices.Contains([]string{".info", ".mod", ".ziphash"}, filepath.Ext(path)) {
			l.copy(path, "/go/mods/cache/download"+strings.TrimPrefix(path, downloads))
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// enterPostgres sets a database up as Postgres's own image does, and serves it.
const enterPostgres = `#!/bin/sh
set -eu
export PGDATA=/var/lib/postgresql/data PGUSER=$POSTGRES_USER
as() { setpriv --reuid=70 --regid=70 --clear-groups "$@"; }
[ -z "${POSTGRES_PASSWORD_FILE:-}" ] || read -r POSTGRES_PASSWORD <"$POSTGRES_PASSWORD_FILE" || true # no line end
chown 70:70 $PGDATA && chmod 700 $PGDATA && cd $PGDATA
if [ ! -s PG_VERSION ]; then
	(umask 077 && echo "$POSTGRES_PASSWORD" >/tmp/password && chown 70:70 /tmp/password)
	as initdb --username="$PGUSER" --auth=scram-sha-256 --pwfile=/tmp/password --locale=C --encoding=UTF8 --no-sync >/dev/null
	echo 'host all all all scram-sha-256' >>pg_hba.conf
	as pg_ctl -w -o "-c listen_addresses= -k /tmp" start >/dev/null
	PGPASSWORD=$POSTGRES_PASSWORD createdb --host=/tmp "$POSTGRES_DB"
	as pg_ctl -w stop >/dev/null
fi
exec setpriv --reuid=70 --regid=70 --clear-groups sh -c 'export LD_PRELOAD=${CLOCK:-}; exec postgres -k /tmp -c "listen_addresses=*"'
`

// postgres has this machine's; scripts/with-postgres.sh says where that is.
func postgres(l layer) []string {
	bin := os.Getenv("W3HOST_TEST_PGBIN")
	l.commands("sh", "chown", "chmod", "setpriv")
	libs, share := tool{name: filepath.Join(bin, "pg_config")}.run(l.t, "--pkglibdir"), tool{name: filepath.Join(bin, "pg_config")}.run(l.t, "--sharedir")
	for _, name := range []string{"postgres", "initdb", "pg_ctl", "createdb", "pg_isready", "psql", "pg_dump", "pg_restore"} {
		l.copy(filepath.Join(bin, name), filepath.Join(bin, name))
		l.libraries(filepath.Join(bin, name))
	}
	for _, name := range []string{"plpgsql.so", "dict_snowball.so"} {
		l.copy(filepath.Join(libs, name), filepath.Join(libs, name))
	}
	l.copy(share, share)
	l.copy("/usr/share/zoneinfo", "/usr/share/zoneinfo")
	l.file("/etc/passwd", 0o644, []byte("root:x:0:0::/:/bin/sh\npostgres:x:70:70::/var/lib/postgresql:/bin/sh\n"))
	l.file("/entrypoint", 0o755, []byte(enterPostgres))
	l.dir("/tmp", 0o1777, 0)
	l.dir("/var/lib/postgresql/data", 0o700, 70)
	return []string{
		"ENV PATH=" + bin + ":/bin", `ENTRYPOINT ["/entrypoint"]`, "VOLUME /var/lib/postgresql/data",
	}
}

// bases makes the image that the Dockerfile begins with, once.
func (d *dockerd) bases(t *testing.T) {
	t.Helper()
	version := regexp.MustCompile(`(?m)^ARG GO_VERSION=(.*)$`).FindStringSubmatch(readFile(t, "Dockerfile"))
	name := "golang:" + version[1] + "-alpine"
	if _, err := d.try(t, "image", "inspect", name); err != nil {
		d.makeImage(t, name, golang)
	}
}

// makeImage gives the engine an image of what fill adds, with what it returns.
func (d docker) makeImage(t *testing.T, name string, fill func(layer) []string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "image.tar"))
	if err != nil {
		t.Fatal(err)
	}
	l := layer{t: t, tar: tar.NewWriter(file), have: map[string]bool{}}
	args := []string{"import"}
	for _, change := range fill(l) {
		args = append(args, "--change", change)
	}
	if err := errors.Join(l.tar.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	d.run(t, append(args, file.Name(), name)...)
}
