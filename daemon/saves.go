package daemon

import (
	"path"
	"slices"
	"strings"

	"w3host/config"
	"w3host/control/saves"
	"w3host/formats/savedgame"
	"w3host/formats/w3map"
	"w3host/host"
	"w3host/protocol/w3gs"
)

// savedGames returns the loader of saved games, which uses the current configuration.
func (d *daemon) savedGames() saves.Finder {
	return saves.Finder{
		DB:      d.db,
		Dir:     func() string { return d.maps.current().Saves.Dir },
		Product: func() w3gs.Product { return Product(d.maps.current()) },
		Versions: func() []w3gs.Version {
			c := d.maps.current()
			all := append(c.Versions(), c.Host.Version)
			slices.Sort(all)
			return slices.Compact(all)
		},
		Map: d.maps.ofSave,
	}
}

// current returns the configuration as of the last reload.
func (s *Maps) current() config.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.config
}

// ofSave opens the map on which a game of this version was played, whatever its file is called here.
func (s *Maps) ofSave(h *savedgame.Head, v w3gs.Version) (*host.Map, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := func(m *w3map.Map) bool {
		return m.Checksum == h.Stat.Checksum && (m.SHA1 == h.Stat.SHA1 || !h.Stat.HasSHA1)
	}
	choices := []string{"", s.config.Lobby.Map}
	if err := s.scan(h.MapFile()); err == nil {
		for _, e := range s.maps.Load().Files() { // these have checksums for one version only
			if e.Map != nil && (same(e.Map) || strings.EqualFold(path.Base(e.File), h.MapFile())) {
				choices = append(choices, e.File)
			}
		}
	}
	for _, choice := range choices {
		if isFolder(choice) {
			continue
		}
		if m, err := s.open(choice, []w3gs.Version{v}); err == nil && same(m.Map) {
			return m, nil
		}
	}
	return nil, NoMap{s.none(h.MapFile())}
}
