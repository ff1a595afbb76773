package daemon

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/formats/w3map/builtin"
	"w3host/host"
)

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
func source(t *testing.T, dir, query string) *Maps {
	t.Helper()
	c := config.Default()
	c.Maps.Dir, c.Maps.Scripts = dir, filepath.Join(dir, "scripts")
	c.Lobby.Map = query
	s, err := openMaps(context.WithoutCancel(t.Context()), c, "", zerolog.Nop())
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
