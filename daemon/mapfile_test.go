package daemon

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/formats/w3map/builtin"
	"w3host/host"
	"w3host/protocol/w3gs"
)

// TestHostsMapWithANameInGBK: by its bytes, as a path, and by the name that the list shows.
func TestHostsMapWithANameInGBK(t *testing.T) {
	dir := t.TempDir()
	_, data := builtin.Map()
	const name = "\xca\xd0\xcb\xf2 1.w3x"
	write(t, filepath.Join(dir, name), data)
	write(t, filepath.Join(dir, "\xca\xd0\xcb\xf3 1.w3x"), append(bytes.Clone(data), 1))
	for _, query := range []string{filepath.Join(dir, name), name, `\xca\xd0\xcb\xf2 1.w3x`} {
		m, err := source(t, dir, query).Open(query, []w3gs.Version{26})
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
			m, err := s.Open(query, []w3gs.Version{26})
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
		if _, err := s.Open(query, []w3gs.Version{26}); err == nil || !strings.Contains(err.Error(), `did you mean "name"`) {
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

// readerAt reads from the start on.
type readerAt struct{ io.Reader }

func (r readerAt) ReadAt(b []byte, _ int64) (int, error) { return io.ReadFull(r, b) }

// TestPartsOfAMapThatCannotBeRead: a disk that fails is no map that is being copied.
func TestPartsOfAMapThatCannotBeRead(t *testing.T) {
	_, data := builtin.Map()
	key, crc := mapKey{path: "a.w3x", size: int64(len(data))}, crc32.ChecksumIEEE(data)
	changed := "the file changed while it was being read"
	for name, c := range map[string]struct {
		from io.ReaderAt
		want string // empty: no error
	}{
		"whole":   {bytes.NewReader(data), ""},
		"shorter": {bytes.NewReader(data[:100]), changed},
		"other":   {bytes.NewReader(make([]byte, len(data))), changed},
		"disk":    {readerAt{io.MultiReader(bytes.NewReader(data[:100]), iotest.ErrReader(syscall.EIO))}, syscall.EIO.Error()},
	} {
		parts, err := new(Maps).parts(key, c.from, crc)
		if c.want == "" && (err != nil || parts == nil) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if is := errors.Is(err, syscall.EIO); is != (name == "disk") {
			t.Errorf("%s: an error of the disk: %t", name, is)
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

// TestIdentifiersOfSeveralVersions: those of further versions are computed where their
// scripts differ, unless the file beside the map names them, and lobbies of several
// versions share the bytes of a map.
func TestIdentifiersOfSeveralVersions(t *testing.T) {
	dir := t.TempDir()
	_, data := builtin.Map()
	path := filepath.Join(dir, "a.w3x")
	write(t, path, data)
	for _, v := range []string{"1.26", "1.27", "1.28"} {
		if err := os.MkdirAll(filepath.Join(dir, "scripts", v), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "scripts", v, "common.j"), []byte("common of "+v[:3]+"\r\n"))
		write(t, filepath.Join(dir, "scripts", v, "blizzard.j"), []byte("blizzard of "+v+"\r\n"))
	}
	s := source(t, dir, path)
	open := func(seen ...w3gs.Version) *host.Map {
		t.Helper()
		m, err := s.Open(path, seen)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := open(26, 27, 28)
	for _, v := range []w3gs.Version{26, 27, 28} {
		alone := open(v)
		if own := m.For(v); own != alone.Identifiers || v > 26 && (own.Checksum == m.Checksum || own.SHA1 == m.SHA1 || own.CRC32 != m.CRC32) {
			t.Errorf("%v: %+v; alone it has %+v", v, own, alone.Identifiers)
		}
		if alone.Parts != m.Parts {
			t.Errorf("%v has the map's bytes in memory once more", v)
		}
	}
	if modern := open(36, 35); modern.Parts != m.Parts || modern.Checksum == m.Checksum || len(modern.Others) != 0 {
		t.Errorf("1.36 has %+v", modern.Map)
	}
	write(t, filepath.Join(dir, "a.toml"), []byte("checksum = \"00000026\"\n[versions.\"1.28\"]\nchecksum = \"00000028\"\n"))
	said := open(26, 27, 28)
	if said.Checksum != 0x26 || said.For(27) != m.For(27) || said.For(28).Checksum != 0x28 || said.For(28).SHA1 != m.For(28).SHA1 {
		t.Errorf("with a file beside it: %+v, %+v", said.Identifiers, said.Others)
	}
	write(t, filepath.Join(dir, "scripts", "1.28", "common.j"), []byte("the same\n"))
	s.reload(s.config)
	if broken := open(26, 27, 28); broken.For(27) != m.For(27) {
		t.Errorf("broken scripts of 1.28 cost 1.27 its identifiers: %+v", broken.Others)
	}
}

// Places are fixed on maps with forces of their own, and on no melee map.
func TestFixedPlaces(t *testing.T) {
	dir := t.TempDir()
	name, data := builtin.Map()
	write(t, filepath.Join(dir, "a.w3x"), data)
	s := source(t, dir, "a")
	m, err := s.Open("a", []w3gs.Version{26})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.FixedPlaces("a.w3x"); got != (m.CustomForces && !m.Melee) {
		t.Errorf("%v for a map with forces of its own: %v, melee: %v", got, m.CustomForces, m.Melee)
	}
	if s.FixedPlaces("missing.w3x") || s.FixedPlaces(name) {
		t.Error("a map that is not in the folder has fixed places")
	}
}
