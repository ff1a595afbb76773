//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"w3host/formats/w3map/builtin"
	"w3host/internal/terminal"
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
				if code, _, errs := shell(t, append([]string{"map"}, args...)...); code != exitFailed || !strings.Contains(errs, want) {
					t.Errorf("map %s: exit %d: %s", args, code, errs)
				}
			})
		}
	}
	soon(t, "list", func() {
		code, out, _ := shell(t, "map", "list", dir)
		if code != exitOK {
			t.Error(code)
		}
		for _, want := range []string{"pipe.w3x", "zero.w3x", "a named pipe, not a file", "a device, not a file"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in\n%s", want, out)
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
		_, out, errs := shell(t, "map", verb, dir)
		if !strings.Contains(errs, "beside the map") || strings.ContainsAny(errs, "\x1b\u202e\t") {
			t.Errorf("map %s says %q", verb, errs)
		}
		for _, want := range []string{`a\x1b[31m\nb.w3x`, `\xca\xd0\xcb\xf2.w3x`, `bad\u202e\t.w3x`} {
			if !strings.Contains(out, want) {
				t.Errorf("map %s: %s is not in\n%s", verb, want, out)
			}
		}
		if strings.ContainsAny(out, "\x1b\u202e\t") {
			t.Errorf("map %s: %q", verb, out)
		}
	}
	_, out, errs := shell(t, "map", "info", filepath.Join(dir, "a\x1b[31m\nb.w3x"), filepath.Join(dir, "bad\u202e\t.w3x"))
	if !strings.Contains(out, `a\x1b[31m\nb.w3x`) || !strings.Contains(errs, `bad\u202e\t.w3x`) || strings.ContainsAny(out+errs, "\x1b\u202e\t") {
		t.Errorf("map info: %q %q", out, errs)
	}
	_, out, _ = shell(t, "map", "list", "--json", dir)
	if !strings.Contains(out, `"\\xca\\xd0\\xcb\\xf2.w3x"`) || strings.Contains(out, "\x1b") {
		t.Errorf("map list --json: %s", out)
	}
}

// TestMapListIsATable: columns stand below each other, although Chinese characters take two of a terminal.
func TestMapListIsATable(t *testing.T) {
	dir := t.TempDir()
	_, data := builtin.Map()
	write(t, filepath.Join(dir, "回声群岛.w3x"), data)
	write(t, filepath.Join(dir, "echo.w3x"), append(bytes.Clone(data), 1))
	_, out, _ := shell(t, "map", "list", dir)
	at := map[int]bool{}
	for line := range strings.Lines(out) {
		for _, word := range []string{"NAME", "w3host test map"} {
			if before, _, found := strings.Cut(line, word); found {
				at[terminal.Columns(before)] = true
			}
		}
	}
	if len(at) != 1 {
		t.Errorf("the second column begins at %v:\n%s", at, out)
	}
}
