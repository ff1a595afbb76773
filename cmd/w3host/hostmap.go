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
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

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

// mapSource finds maps for lobbies: the built-in one, a file, or what the
// catalogue has under a name. A file that was replaced meanwhile is read anew;
// lobbies with the same file share its bytes.
type mapSource struct {
	ctx  context.Context // of serve
	log  zerolog.Logger
	maps atomic.Pointer[catalogue.Catalogue] // nil until a name is looked up

	mu      sync.Mutex // guards what follows
	config  config.Config
	scripts *w3map.Scripts
	known   map[string]knownMap // by path
	current *host.Map           // lobby.map
	watched bool
	unwatch func()
}

// knownMap is a map that lobbies or games still use.
type knownMap struct {
	key mapKey
	m   weak.Pointer[host.Map]
}

// mapKey is what changes when a map or the file beside it is written.
type mapKey struct {
	path       string
	at, beside time.Time
	size, with int64
}

// openMaps looks for the scripts and the maps of the configuration. What is
// missing without harm is logged, once; that there is no such map is an error.
func openMaps(ctx context.Context, c config.Config, log zerolog.Logger) (*mapSource, error) {
	s := newMapSource(ctx, c, log)
	for _, e := range c.Entries() {
		for _, choice := range e.Choices() {
			if choice == "" || isFile(choice) {
				continue
			}
			if err := s.scan(choice); err != nil {
				return nil, err
			}
		}
	}
	var err error
	for _, e := range c.Entries() {
		if err = s.check(&e); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func newMapSource(ctx context.Context, c config.Config, log zerolog.Logger) *mapSource {
	s := &mapSource{ctx: ctx, config: c, log: log, known: map[string]knownMap{}, unwatch: func() {}}
	s.findScripts()
	return s
}

// check looks whether an entry has a map that can be hosted.
func (s *mapSource) check(e *config.Entry) (err error) {
	for _, choice := range e.Choices() {
		files := s.expand(choice)
		if files == nil {
			err = s.none(choice)
		}
		for _, file := range files {
			m, fault := s.open(file)
			if fault == nil {
				if s.current == nil {
					s.current = m
				}
				return nil
			}
			if err = fault; file == s.config.Lobby.Map && len(e.Playlist) == 0 {
				return err
			}
		}
	}
	return err
}

func (s *mapSource) none(choice string) error {
	return fmt.Errorf("no map in %q of %s can be hosted", choice, s.config.Maps.Dir)
}

func (s *mapSource) version() w3gs.Version { return w3gs.Version(s.config.Host.Version) }

func (s *mapSource) findScripts() {
	var err error
	s.scripts, _, err = mapconf.FindScripts(s.config.Maps.Scripts, s.version())
	if err != nil && !errors.Is(err, mapconf.ErrNoScripts) && !errors.Is(err, os.ErrNotExist) {
		s.log.Warn().Err(err).Msg("the game's scripts cannot be used")
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// scan opens the maps folder for a name, unless that is done.
func (s *mapSource) scan(query string) error {
	if s.maps.Load() != nil {
		return nil
	}
	c := s.config
	c.Lobby.Map = query // for the fault
	maps, err := catalogue.Open(s.ctx, c.Maps.Dir, catalogue.Options{
		Version: s.version(), Scripts: s.scripts, Cache: c.Maps.Cache,
		Report: func(err error) { s.log.Warn().Err(err).Msg("maps folder") },
	})
	if err != nil {
		return missingMap(c, err)
	}
	broken := 0
	for _, e := range maps.Entries() {
		if e.Fault != nil {
			broken++
			s.log.Warn().Str("map", w3map.Shown(e.File)).Err(e.Fault).Msg("map cannot be hosted")
		}
	}
	s.log.Info().Str("folder", c.Maps.Dir).Int("maps", len(maps.Entries())-broken).Int("broken", broken).Msg("maps folder read")
	s.maps.Store(maps)
	s.rewatch()
	return nil
}

// watch keeps the catalogue up to date from now on.
func (s *mapSource) watch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched = true
	s.rewatch()
}

func (s *mapSource) rewatch() {
	maps := s.maps.Load()
	if !s.watched || maps == nil {
		return
	}
	ctx, stop := context.WithCancel(s.ctx)
	s.unwatch = stop
	go func() { // ends with ctx
		_ = maps.Watch(ctx, func() { s.log.Info().Msg("maps folder has changed") })
	}()
}

// isFolder reports whether a choice stands for several maps.
func isFolder(choice string) bool { return choice == "*" || strings.HasSuffix(choice, "/") }

// expand lists the maps that a choice stands for: those of a folder ("melee/"),
// all ("*"), or the one. It never waits.
func (s *mapSource) expand(choice string) (files []string) {
	if !isFolder(choice) {
		return []string{choice}
	}
	maps := s.maps.Load()
	if maps == nil {
		return nil
	}
	for _, e := range maps.Entries() {
		if e.Fault == nil && (choice == "*" || strings.HasPrefix(strings.ToLower(e.File), strings.ToLower(choice))) {
			files = append(files, e.File)
		}
	}
	return files
}

// List names the maps whose name has the pattern in it.
func (s *mapSource) List(pattern string) (files []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.scan(pattern); err != nil {
		return nil, err
	}
	for _, e := range s.maps.Load().Entries() {
		name := e.File
		if e.Map != nil {
			name += " " + w3map.Plain(e.Map.Name)
		}
		if e.Fault == nil && strings.Contains(strings.ToLower(w3map.Shown(name)), strings.ToLower(pattern)) {
			files = append(files, w3map.Shown(e.File))
		}
	}
	return files, nil
}

// Find is the one map that a pattern means.
func (s *mapSource) Find(pattern string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.scan(pattern); err != nil {
		return "", err
	}
	e, err := s.maps.Load().Find(pattern)
	if err != nil {
		return "", err
	}
	return e.File, nil
}

// Open is the map of a lobby that is opened now.
func (s *mapSource) Open(query string) (*host.Map, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open(query)
}

func (s *mapSource) open(query string) (*host.Map, error) {
	if query == "" {
		return s.builtin()
	}
	path := query
	if !isFile(query) {
		if err := s.scan(query); err != nil {
			return nil, err
		}
		maps := s.maps.Load()
		e, err := maps.Find(query)
		if err != nil {
			return nil, fmt.Errorf("lobby.map = %q: %w; %s map list shows what there is", query, err, program)
		}
		path = maps.Path(e)
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
	if known, ok := s.known[path]; ok && key == known.key {
		if m := known.m.Value(); m != nil {
			return m, nil
		}
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
		s.known[path] = knownMap{key, weak.Make(taken)}
	}
	return taken, err
}

// builtin is the test map.
func (s *mapSource) builtin() (*host.Map, error) {
	if m := s.known[""].m.Value(); m != nil {
		return m, nil
	}
	name, data := builtin.Map()
	m, err := s.identify(bytes.NewReader(data), int64(len(data)), name)
	if err != nil {
		return nil, err
	}
	taken, err := s.take(m, data)
	if err == nil {
		s.known[""] = knownMap{m: weak.Make(taken)}
	}
	return taken, err
}

// reload looks for scripts and maps again.
func (s *mapSource) reload(c config.Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unwatch()
	s.config, s.unwatch = c, func() {}
	clear(s.known)
	s.findScripts()
	if s.maps.Swap(nil) != nil {
		if err := s.scan(""); err != nil {
			s.log.Warn().Err(err).Msg("maps folder")
		}
	}
}

// identify reads a map and the file beside it.
func (s *mapSource) identify(r io.ReaderAt, size int64, path string) (*w3map.Map, error) {
	m, err := w3map.Read(r, size, filepath.Base(path), w3map.Options{Version: s.version(), Scripts: s.scripts})
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
	if missing := m.MissingScripts(); missing != "" && m.File != builtinFile() { // the built-in map is for bots
		s.log.Warn().Str("map", file).Msg(missing)
	}
	if limit := s.version().MapLimit(); limit > 0 && m.Size > limit {
		s.log.Warn().Str("map", file).Msgf("the map has %d bytes; clients of %v load no more than %d", m.Size, s.version(), limit)
	}
	parts, err := mapxfer.NewParts(data)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", file, err)
	}
	return &host.Map{Map: m, Parts: parts}, nil
}

func builtinFile() string {
	name, _ := builtin.Map()
	return name
}
