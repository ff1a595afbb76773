package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
	"weak"

	"w3host/formats/mapconf"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
	"w3host/host"
	"w3host/internal/terminal"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
)

// knownMap is a map in memory, as long as a lobby or game uses it.
type knownMap struct {
	key mapKey
	m   weak.Pointer[host.Map]
}

// mapKey changes when a map or its sidecar file is written.
type mapKey struct {
	path         string
	size, with   int64
	time, beside time.Time // zero for the built-in map
}

// Open reads a map: "" means the built-in one; query can also be a path or a part of a name. The map's checksums are
// those of the first version in seen; other versions have separate ones if their scripts differ. Lobbies with the same
// file share its bytes.
func (s *Maps) Open(query string, seen []w3gs.Version) (*host.Map, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open(query, seen)
}

// Minimap returns the minimap of a map in the folder, by its file name, or of the built-in map.
func (s *Maps) Minimap(file string) (image.Image, error) {
	if name, data := builtin.Map(); name == file {
		return w3map.Minimap(bytes.NewReader(data), int64(len(data)))
	}
	path, err := s.pathOf(file)
	if err != nil {
		return nil, err
	}
	f, info, err := mapconf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return w3map.Minimap(f, info.Size())
}

// FixedPlaces reports whether a map in the folder, by its file name, has fixed teams and places.
func (s *Maps) FixedPlaces(file string) bool {
	path, err := s.pathOf(file)
	if err != nil {
		return false
	}
	f, info, err := mapconf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	m, err := mapconf.Read(f, info.Size(), path, w3map.Options{})
	return err == nil && m.CustomForces && !m.Melee
}

// pathOf returns the path of a map in the folder by its file name.
func (s *Maps) pathOf(file string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.scan(file); err != nil {
		return "", err
	}
	maps := s.maps.Load()
	for _, e := range maps.Files() {
		if filepath.Base(e.File) == file {
			return maps.Path(e), nil
		}
	}
	return "", s.none(file)
}

func (s *Maps) open(query string, seen []w3gs.Version) (*host.Map, error) {
	if name, data := builtin.Map(); query == "" || query == name {
		return s.load(mapKey{path: name, size: int64(len(data))}, bytes.NewReader(data), seen)
	}
	path := query
	if !isFile(query) {
		if err := s.scan(query); err != nil {
			return nil, err
		}
		maps := s.maps.Load()
		e, err := maps.Find(query)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; %s map list shows the available maps", mapNamed(s.config, query), err, terminal.Program)
		}
		path = maps.Path(e)
	}
	f, info, err := mapconf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("map: %w", err)
	}
	defer f.Close()
	key := mapKey{path: path, time: info.ModTime(), size: info.Size()}
	if beside, err := os.Stat(w3map.ConfigName(path)); err == nil {
		key.beside, key.with = beside.ModTime(), beside.Size()
	}
	return s.load(key, f, seen)
}

// load reads a map unless it is still in memory, and logs its warnings.
func (s *Maps) load(key mapKey, r io.ReaderAt, seen []w3gs.Version) (*host.Map, error) {
	name := fmt.Sprint(key.path, seen)
	if known := s.known[name]; known.key == key {
		if m := known.m.Value(); m != nil {
			return m, nil
		}
	}
	opts := w3map.Options{Version: seen[0], Scripts: s.scriptsOf(seen[0]), Others: map[w3gs.Version]*w3map.Scripts{}}
	for _, v := range seen[1:] {
		opts.Others[v] = s.scriptsOf(v)
	}
	m, err := mapconf.Read(r, key.size, key.path, opts)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", w3map.Shown(key.path), err)
	}
	parts, err := s.parts(key, r, m.CRC32)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", w3map.Shown(key.path), err)
	}
	warnings := slices.Clone(m.Warnings) // the note about missing scripts concerns all maps; welcome logs it once
	for _, v := range seen {
		if limit := v.MapLimit(); limit > 0 && m.Size > limit {
			warnings = append(warnings, fmt.Sprintf("the map has %d bytes, but clients of %v load at most %d", m.Size, v, limit))
		}
	}
	for _, warning := range warnings {
		s.log.Warn().Str("map", w3map.Shown(m.File)).Msg(warning)
	}
	made := &host.Map{Map: m, Parts: parts}
	s.known[name] = knownMap{key, weak.Make(made)}
	return made, nil
}

// parts returns the bytes of a map that was just read, shared with lobbies for other versions.
func (s *Maps) parts(key mapKey, r io.ReaderAt, crc uint32) (*mapxfer.Parts, error) {
	for _, known := range s.known {
		if m := known.m.Value(); known.key == key && m != nil && m.CRC32 == crc {
			return m.Parts, nil
		}
	}
	data := make([]byte, key.size)
	n, err := r.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if n < len(data) || crc32.ChecksumIEEE(data) != crc {
		return nil, errors.New("the file changed while it was being read; wait until it is copied completely")
	}
	return mapxfer.NewParts(data)
}
