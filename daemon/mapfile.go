package daemon

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"time"
	"weak"

	"w3host/formats/mapconf"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
	"w3host/host"
	"w3host/internal/terminal"
	"w3host/mapxfer"
)

// knownMap is a map in memory, as long as a lobby or game uses it.
type knownMap struct {
	key mapKey
	m   weak.Pointer[host.Map]
}

// mapKey changes when a map or the file beside it is written.
type mapKey struct {
	path         string
	size, with   int64
	time, beside time.Time // zero for the built-in map
}

// Open reads the map of a query: "" for the built-in one, a path, or a part of a name.
// Lobbies with the same file share its bytes.
func (s *Maps) Open(query string) (*host.Map, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open(query)
}

func (s *Maps) open(query string) (*host.Map, error) {
	if query == "" {
		name, data := builtin.Map()
		return s.load(mapKey{path: name, size: int64(len(data))}, bytes.NewReader(data))
	}
	path := query
	if !isFile(query) {
		if err := s.scan(query); err != nil {
			return nil, err
		}
		maps := s.maps.Load()
		e, err := maps.Find(query)
		if err != nil {
			return nil, fmt.Errorf("lobby.map = %q: %w; %s map list shows what there is", query, err, terminal.Program)
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
	return s.load(key, f)
}

// load reads a map unless it is still in memory, and logs its warnings.
func (s *Maps) load(key mapKey, r io.ReaderAt) (*host.Map, error) {
	if known := s.known[key.path]; known.key == key {
		if m := known.m.Value(); m != nil {
			return m, nil
		}
	}
	file := w3map.Shown(key.path)
	m, err := mapconf.Read(r, key.size, key.path, w3map.Options{Version: s.version(), Scripts: s.scripts})
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", file, err)
	}
	data := make([]byte, key.size) // only now: it is a map
	if _, err := r.ReadAt(data, 0); err != nil || crc32.ChecksumIEEE(data) != m.CRC32 {
		return nil, fmt.Errorf("map %s changed while it was being read; wait until it has been copied", file)
	}
	parts, err := mapxfer.NewParts(data)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", file, err)
	}
	warnings := slices.Clone(m.Warnings) // what m.MissingScripts says, of any map, is said once, by welcome
	if limit := s.version().MapLimit(); limit > 0 && m.Size > limit {
		warnings = append(warnings,
			fmt.Sprintf("the map has %d bytes; clients of %v load no more than %d", m.Size, s.version(), limit))
	}
	for _, warning := range warnings {
		s.log.Warn().Str("map", w3map.Shown(m.File)).Msg(warning)
	}
	made := &host.Map{Map: m, Parts: parts}
	s.known[key.path] = knownMap{key, weak.Make(made)}
	return made, nil
}
