package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/formats/catalogue"
	"w3host/formats/mapconf"
	"w3host/formats/w3map"
	"w3host/host"
	"w3host/internal/heartbeat"
	"w3host/protocol/w3gs"
)

// Maps finds and reads maps for lobbies: the built-in one, files by path, and those of the maps folder by name. It
// rereads files that have changed. It is safe for concurrent use.
type Maps struct {
	ctx  context.Context // context of Run
	log  zerolog.Logger
	maps atomic.Pointer[catalogue.Catalogue] // nil until a name is looked up

	mu      sync.Mutex // guards the following fields
	config  config.Config
	cache   string                          // path of the cache file, or empty
	scripts map[w3gs.Version]*w3map.Scripts // loaded scripts; nil values mean that there are none
	known   map[string]knownMap             // by path and versions
	watched bool
	heart   *heartbeat.Heart // paces checks of the folder; nil uses a timer
	unwatch func()
}

// NoMap is the error that there is no map to host.
type NoMap struct{ error }

func (e NoMap) Unwrap() error { return e.error }

// openMaps is NewMaps with a check that each entry has at least one map that can be hosted.
func openMaps(ctx context.Context, c config.Config, cache string, log zerolog.Logger) (*Maps, error) {
	s := NewMaps(ctx, c, cache, log)
	for _, e := range c.Entries() {
		for _, choice := range e.Choices() {
			if choice == "" || isFile(choice) {
				continue
			}
			if err := s.scan(choice); err != nil {
				return nil, NoMap{err}
			}
		}
	}
	for _, e := range c.Entries() {
		if err := s.check(&e); err != nil {
			return nil, NoMap{err}
		}
	}
	return s, nil
}

// NewMaps returns Maps that store computed values in the file cache, unless it is empty. The maps folder is read when a
// name is first looked up.
func NewMaps(ctx context.Context, c config.Config, cache string, log zerolog.Logger) *Maps {
	return &Maps{
		ctx: ctx, config: c, cache: cache, log: log, known: map[string]knownMap{}, scripts: map[w3gs.Version]*w3map.Scripts{}, unwatch: func() {},
	}
}

// check returns an error if an entry has no map that can be hosted.
func (s *Maps) check(e *config.Entry) (err error) {
	for _, choice := range e.Choices() {
		files := s.expand(choice)
		if files == nil {
			err = s.none(choice)
		}
		for _, file := range files {
			_, fault := s.open(file, e.Seen())
			if fault == nil {
				return nil
			}
			if err = fault; file == s.config.Lobby.Map && len(e.Playlist) == 0 {
				return err
			}
		}
	}
	return err
}

// first describes the maps of an entry and opens the first that can be hosted, or returns nil.
func (s *Maps) first(e *config.Entry) (what string, m *host.Map) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var files []string
	for _, choice := range e.Choices() {
		files = append(files, s.expand(choice)...)
	}
	for _, file := range files {
		m, err := s.open(file, e.Seen())
		if err != nil {
			continue
		}
		if more := len(files) - 1; more > 0 {
			return fmt.Sprintf("%s and %d more", m.File, more), m
		}
		return m.File, m
	}
	return "", nil
}

// scriptsOf loads the game's scripts of a version. Maps can be read without them.
func (s *Maps) scriptsOf(v w3gs.Version) *w3map.Scripts {
	found, looked := s.scripts[v]
	if looked || !v.SumsGameScripts() {
		return found
	}
	found, _, err := mapconf.FindScripts(s.config.Maps.Scripts, v)
	if err != nil && !errors.Is(err, mapconf.ErrNoScripts) && !errors.Is(err, os.ErrNotExist) {
		s.log.Warn().Err(err).Stringer("version", v).Msg("cannot use the game's scripts")
	}
	s.scripts[v] = found
	return found
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// scan reads the maps folder unless that was done before. query is the map that is being looked for, which an error message names.
func (s *Maps) scan(query string) error {
	if s.maps.Load() != nil {
		return nil
	}
	c := s.config
	maps, err := catalogue.Open(s.ctx, c.Maps.Dir, catalogue.Options{
		Version: c.Host.Version, Scripts: s.scriptsOf(c.Host.Version), Cache: s.cache,
		Report: func(err error) { s.log.Warn().Err(err).Msg("maps folder") },
	})
	if err != nil {
		return missingMap(c, query, err)
	}
	broken := 0
	for _, e := range maps.Files() {
		if e.Fault != nil {
			broken++
			s.log.Warn().Str("map", w3map.Shown(e.File)).Err(e.Fault).Msg("map cannot be hosted")
		}
	}
	s.log.Info().Str("folder", c.Maps.Dir).Int("maps", len(maps.Files())-broken).Int("broken", broken).Msg("maps folder read")
	s.maps.Store(maps)
	s.rewatch()
	return nil
}

// watch keeps the catalogue up to date from now on.
func (s *Maps) watch(heart *heartbeat.Heart) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched, s.heart = true, heart
	s.rewatch()
}

func (s *Maps) rewatch() {
	maps := s.maps.Load()
	if !s.watched || maps == nil {
		return
	}
	ctx, stop := context.WithCancel(s.ctx)
	s.unwatch = stop
	go func() { // ends with ctx
		_ = maps.Watch(ctx, s.heart, func() { s.log.Info().Msg("the maps folder has changed") })
	}()
}

// isFolder reports whether a choice in the configuration means several maps.
func isFolder(choice string) bool { return choice == "*" || strings.HasSuffix(choice, "/") }

// expand returns the maps of a choice: those of a folder ("melee/"), all ("*"), or one. It does not block.
func (s *Maps) expand(choice string) (files []string) {
	if !isFolder(choice) {
		return []string{choice}
	}
	maps := s.maps.Load()
	if maps == nil {
		return nil
	}
	for _, e := range maps.Files() {
		if e.Fault == nil && (choice == "*" || strings.HasPrefix(strings.ToLower(e.File), strings.ToLower(choice))) {
			files = append(files, e.File)
		}
	}
	return files
}

// Folder returns the number of maps of a choice that means several. It returns an error if there are none.
func (s *Maps) Folder(choice string) (n int, folder bool, err error) {
	if !isFolder(choice) {
		return 0, false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.scan(choice); err != nil {
		return 0, true, err
	}
	if n = len(s.expand(choice)); n == 0 {
		err = s.none(choice)
	}
	return n, true, err
}

func (s *Maps) none(choice string) error {
	return fmt.Errorf("no map in %q of %s can be hosted", choice, s.config.Maps.Dir)
}

// List returns the files of maps whose name contains pattern.
func (s *Maps) List(pattern string) (files []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.scan(pattern); err != nil {
		return nil, err
	}
	for _, e := range s.maps.Load().Files() {
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

// Files returns all files of the maps folder, including those that cannot be hosted.
func (s *Maps) Files() ([]*catalogue.MapFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Stat(s.config.Maps.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the folder is optional
	}
	if err := s.scan(""); err != nil {
		return nil, err
	}
	return s.maps.Load().Files(), nil
}

// Find returns the file of the only map that a pattern matches.
func (s *Maps) Find(pattern string) (string, error) {
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

// reload reads scripts and maps again.
func (s *Maps) reload(c config.Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unwatch()
	s.config, s.unwatch = c, func() {}
	clear(s.known)
	clear(s.scripts)
	if s.maps.Swap(nil) != nil {
		if err := s.scan(""); err != nil {
			s.log.Warn().Err(err).Msg("maps folder")
		}
	}
}
