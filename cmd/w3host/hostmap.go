package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"w3host/catalogue"
	"w3host/config"
	"w3host/host"
	"w3host/mapconf"
	"w3host/mapxfer"
	"w3host/w3gs"
	"w3host/w3map"
	"w3host/w3map/builtin"
)

// mapSource finds the map of the next lobby: the built-in one, a file, or what
// the catalogue has under a name. A file that was replaced meanwhile is read
// anew; lobbies with the same file share its bytes.
type mapSource struct {
	version w3gs.Version
	scripts *w3map.Scripts
	query   string
	file    bool // query is a path, not a name
	maps    *catalogue.Catalogue
	log     zerolog.Logger

	mu      sync.Mutex
	current *host.Map
	key     mapKey // of current
}

// mapKey is what changes when a map or the file beside it is written.
type mapKey struct {
	path       string
	at, beside time.Time
	size, with int64
}

// openMaps looks for the scripts and the map. What is missing without harm is
// logged, once; that there is no such map is an error.
func openMaps(ctx context.Context, c config.Config, log zerolog.Logger) (*mapSource, error) {
	s := &mapSource{version: w3gs.Version(c.Host.Version), query: c.Lobby.Map, log: log}
	var err error
	s.scripts, _, err = mapconf.FindScripts(c.Maps.Scripts, s.version)
	if err != nil && !errors.Is(err, mapconf.ErrNoScripts) && !errors.Is(err, os.ErrNotExist) {
		log.Warn().Err(err).Msg("the game's scripts cannot be used")
	}
	if info, err := os.Stat(s.query); s.query != "" && err == nil && !info.IsDir() {
		s.file = true
	}
	if s.query != "" && !s.file {
		if err := s.scan(ctx, c); err != nil {
			return nil, err
		}
	}
	if _, err := s.next(); err != nil {
		return nil, err
	}
	return s, nil
}

// scan opens the maps folder for a map that is given by name.
func (s *mapSource) scan(ctx context.Context, c config.Config) error {
	var err error
	s.maps, err = catalogue.Open(ctx, c.Maps.Dir, catalogue.Options{
		Version: s.version, Scripts: s.scripts, Cache: c.Maps.Cache,
		Report: func(err error) { s.log.Warn().Err(err).Msg("maps folder") },
	})
	if err != nil {
		return missingMap(c, err)
	}
	broken := 0
	for _, e := range s.maps.Entries() {
		if e.Fault != nil {
			broken++
			s.log.Warn().Str("map", w3map.Shown(e.File)).Err(e.Fault).Msg("map cannot be hosted")
		}
	}
	s.log.Info().Str("folder", c.Maps.Dir).Int("maps", len(s.maps.Entries())-broken).Int("broken", broken).Msg("maps folder read")
	return nil
}

// watch keeps the catalogue up to date until ctx ends.
func (s *mapSource) watch(ctx context.Context) {
	if s.maps != nil {
		_ = s.maps.Watch(ctx, func() { s.log.Info().Msg("maps folder has changed") })
	}
}

// next is the map for a lobby that is opened now.
func (s *mapSource) next() (*host.Map, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.query == "" {
		if s.current == nil {
			name, data := builtin.Map()
			m, err := s.identify(bytes.NewReader(data), int64(len(data)), name)
			if err != nil {
				return nil, err
			}
			return s.take(m, data)
		}
		return s.current, nil
	}
	path := s.query
	if !s.file {
		e, err := s.maps.Find(s.query)
		if err != nil {
			return nil, fmt.Errorf("lobby.map = %q: %w; %s map list shows what there is", s.query, err, program)
		}
		path = s.maps.Path(e)
	}
	f, info, err := mapconf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("map: %w", err)
	}
	defer f.Close()
	key := mapKey{path: path, at: info.ModTime(), size: info.Size()}
	if beside, err := os.Stat(w3map.ConfigName(path)); err == nil {
		key.beside, key.with = beside.ModTime(), beside.Size()
	}
	if s.current != nil && key == s.key {
		return s.current, nil
	}
	m, err := s.identify(f, info.Size(), path)
	if err != nil {
		return nil, err
	}
	data := make([]byte, info.Size()) // only now: it is a map
	if _, err := f.ReadAt(data, 0); err != nil || crc32.ChecksumIEEE(data) != m.CRC32 {
		return nil, fmt.Errorf("map %s changed while it was read; wait until it is copied", w3map.Shown(path))
	}
	taken, err := s.take(m, data)
	if err == nil {
		s.key = key
	}
	return taken, err
}

// identify reads a map and the file beside it.
func (s *mapSource) identify(r io.ReaderAt, size int64, path string) (*w3map.Map, error) {
	m, err := w3map.Read(r, size, filepath.Base(path), w3map.Options{Version: s.version, Scripts: s.scripts})
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", w3map.Shown(path), err)
	}
	beside, err := mapconf.Load(w3map.ConfigName(path))
	if err == nil {
		err = beside.Apply(m)
	}
	return m, err
}

// take makes a map that can be hosted, and says what is odd about it.
func (s *mapSource) take(m *w3map.Map, data []byte) (*host.Map, error) {
	file := w3map.Shown(m.File)
	for _, warning := range m.Warnings {
		s.log.Warn().Str("map", file).Msg(warning)
	}
	if missing := m.MissingScripts(); missing != "" && s.query != "" { // the built-in map is for bots
		s.log.Warn().Str("map", file).Msg(missing)
	}
	if limit := s.version.MapLimit(); limit > 0 && m.Size > limit {
		s.log.Warn().Str("map", file).Msgf("the map has %d bytes; clients of %v load no more than %d", m.Size, s.version, limit)
	}
	parts, err := mapxfer.NewParts(data)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", file, err)
	}
	s.current = &host.Map{Map: m, Parts: parts}
	return s.current, nil
}
