//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/host"
	"w3host/w3map/builtin"
)

func pipe(t *testing.T, path string) string {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// soon fails if f takes long, such as for ever.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { f(); close(done) }() // ends with f
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: no end", what)
	}
}

// TestWhatIsNoFileIsRefused: a device that never ends, a pipe that nobody writes to, as a map and beside a map.
func TestWhatIsNoFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	fifo := pipe(t, filepath.Join(dir, "pipe.w3x"))
	_, data := builtin.Map()
	write(t, filepath.Join(dir, "good.w3x"), data)
	pipe(t, filepath.Join(dir, "good.toml"))
	link := filepath.Join(dir, "zero.w3x")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for file, want := range map[string]string{
		"/dev/zero":                    "is a device, not a file",
		link:                           "is a device, not a file",
		fifo:                           "is a named pipe, not a file",
		filepath.Join(dir, "good.w3x"): "good.toml is a named pipe, not a file",
	} {
		soon(t, "serve "+file, func() {
			code, _, stderr := shell(t, "serve", "--map", file, "--listen", "127.0.0.1:0", "--lan=false")
			if code == exitOK || !strings.Contains(stderr, want) {
				t.Errorf("serve --map %s: exit %d: %s", file, code, stderr)
			}
		})
		for _, args := range [][]string{{"info", file}, {"info", "--png", filepath.Join(dir, "x.png"), file}} {
			soon(t, strings.Join(args, " "), func() {
				var out, errs bytes.Buffer
				if code := run(t.Context(), append([]string{"map"}, args...), nil, &out, &errs); code != exitFailed || !strings.Contains(errs.String(), want) {
					t.Errorf("map %s: exit %d: %s", args, code, errs.String())
				}
			})
		}
	}
	soon(t, "list", func() {
		var out bytes.Buffer
		if code := run(t.Context(), []string{"map", "list", dir}, nil, &out, io.Discard); code != exitOK {
			t.Error(code)
		}
		for _, want := range []string{"pipe.w3x", "zero.w3x", "a named pipe, not a file", "a device, not a file"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is not in\n%s", want, out.String())
			}
		}
	})
}

// TestNamesAreShownEscaped: a file's name must not steer the terminal, nor break a line of the list.
func TestNamesAreShownEscaped(t *testing.T) {
	dir := t.TempDir()
	_, data := builtin.Map()
	write(t, filepath.Join(dir, "a\x1b[31m\nb.w3x"), data)
	write(t, filepath.Join(dir, "\xca\xd0\xcb\xf2.w3x"), append(bytes.Clone(data), 1))
	write(t, filepath.Join(dir, "bad\u202e\t.w3x"), []byte("no map"))
	for _, verb := range []string{"list", "verify"} {
		var out bytes.Buffer
		run(t.Context(), []string{"map", verb, dir}, nil, &out, io.Discard)
		for _, want := range []string{`a\x1b[31m\nb.w3x`, `\xca\xd0\xcb\xf2.w3x`, `bad\u202e\t.w3x`} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("map %s: %s is not in\n%s", verb, want, out.String())
			}
		}
		if strings.ContainsAny(out.String(), "\x1b\u202e\t") {
			t.Errorf("map %s: %q", verb, out.String())
		}
	}
	var out, errs bytes.Buffer
	run(t.Context(), []string{"map", "info", filepath.Join(dir, "a\x1b[31m\nb.w3x"), filepath.Join(dir, "bad\u202e\t.w3x")}, nil, &out, &errs)
	if !strings.Contains(out.String(), `a\x1b[31m\nb.w3x`) || !strings.Contains(errs.String(), `bad\u202e\t.w3x`) ||
		strings.ContainsAny(out.String()+errs.String(), "\x1b\u202e\t") {
		t.Errorf("map info: %q %q", out.String(), errs.String())
	}
	out.Reset()
	run(t.Context(), []string{"map", "list", "--json", dir}, nil, &out, io.Discard)
	if !strings.Contains(out.String(), `"\\xca\\xd0\\xcb\\xf2.w3x"`) || strings.Contains(out.String(), "\x1b") {
		t.Errorf("map list --json: %s", out.String())
	}
}

// TestHostsMapWithANameInGBK: by its bytes, as a path, and by the name that the list shows.
func TestHostsMapWithANameInGBK(t *testing.T) {
	dir := t.TempDir()
	_, data := builtin.Map()
	const name = "\xca\xd0\xcb\xf2 1.w3x"
	write(t, filepath.Join(dir, name), data)
	write(t, filepath.Join(dir, "\xca\xd0\xcb\xf3 1.w3x"), append(bytes.Clone(data), 1))
	for _, query := range []string{filepath.Join(dir, name), name, `\xca\xd0\xcb\xf2 1.w3x`} {
		m, err := source(t, dir, query).Open(query)
		if err != nil || m.File != name || m.Path != `Maps\Download\`+name {
			t.Errorf("%q: %v %v", query, m, err)
		}
	}
}

// TestFileBesideTheMapIsReadAgain: what it says counts for the next lobby, though the map is as it was.
func TestFileBesideTheMapIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	_, data := builtin.Map()
	path := filepath.Join(dir, "a.w3x")
	write(t, path, data)
	for _, query := range []string{path, "a"} {
		s := source(t, dir, query)
		next := func() *host.Map {
			t.Helper()
			m, err := s.Open(query)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		first := next()
		if next() != first {
			t.Error("the map was read again for nothing")
		}
		write(t, filepath.Join(dir, "a.toml"), []byte(`name = "one"`))
		if got := next().Name; got != "one" {
			t.Errorf("%s: with a new file beside it, the name is %q", query, got)
		}
		write(t, filepath.Join(dir, "a.toml"), []byte(`name = "three"`))
		if got := next().Name; got != "three" {
			t.Errorf("%s: with an edited file beside it, the name is %q", query, got)
		}
		write(t, filepath.Join(dir, "a.toml"), []byte(`nome = "four"`))
		if _, err := s.Open(query); err == nil || !strings.Contains(err.Error(), `did you mean "name"`) {
			t.Errorf("%s: with a broken file beside it: %v", query, err)
		}
		if err := os.Remove(filepath.Join(dir, "a.toml")); err != nil {
			t.Fatal(err)
		}
		if got := next().Name; got != first.Name {
			t.Errorf("%s: without the file, the name is %q", query, got)
		}
	}
}

// source looks for a map as serve does.
func source(t *testing.T, dir, query string) *mapSource {
	t.Helper()
	c := config.Default()
	c.Maps.Dir, c.Maps.Scripts, c.Maps.Cache = dir, filepath.Join(dir, "scripts"), ""
	c.Lobby.Map = query
	s, err := openMaps(context.WithoutCancel(t.Context()), c, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
