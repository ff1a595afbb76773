package catalogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"w3host/formats/w3map"
	"w3host/protocol/w3gs"
)

// schema is the version of the cache file. It must change whenever the values computed for a map change.
const schema = 4

// cache holds the results of earlier scans by file path within the folder.
type cache struct {
	path string
	maps map[string]cached
}

// cached holds the result for one file, one game version and its scripts.
type cached struct {
	Size    int64        `json:"size"`
	ModTime int64        `json:"mod_time"`
	Version w3gs.Version `json:"version"`
	Scripts string       `json:"scripts,omitempty"` // value of w3map.Scripts.Key
	Fault   string       `json:"fault,omitempty"`
	Map     *w3map.Map   `json:"map,omitempty"`

	unread bool // the file could not be opened or read, as Fault explains; it is retried and not stored
}

type cacheFile struct {
	Schema int               `json:"schema"`
	Maps   map[string]cached `json:"maps"`
}

// lossy is the JSON escape that replaces invalid UTF-8.
var lossy = []byte(`\ufffd`)

// loadCache reads the cache file at path. A missing or damaged cache yields an empty one; the error is only
// for logging.
func loadCache(path string) (*cache, error) {
	c := &cache{path: path, maps: map[string]cached{}}
	if path == "" {
		return c, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("map cache: %w", err)
	}
	var file cacheFile
	if err := json.Unmarshal(data, &file); err != nil {
		return c, fmt.Errorf("map cache %s is damaged and will be rewritten: %w", path, err)
	}
	if file.Schema == schema && file.Maps != nil {
		c.maps = file.Maps
	}
	return c, nil
}

// get returns the cached result of a file that has not changed since.
func (c *cache) get(file string, now stamp, opts Options) (cached, bool) {
	known, ok := c.maps[file]
	return known, ok && known.ModTime == now.ModTime && known.usable(now.Size, opts)
}

// usable reports whether reading the file now would give the same result. Results computed with the game's
// scripts stay valid if the scripts are removed.
func (k *cached) usable(size int64, opts Options) bool {
	if k.unread || k.Size != size || k.Version != opts.Version || k.Map == nil && k.Fault == "" {
		return false
	}
	return opts.Scripts == nil || k.Scripts == opts.Scripts.Key()
}

// save stores the current records if they differ from the cache. It replaces the file atomically, so that a
// crash leaves the old or the new one.
func (c *cache) save(records map[string]*record) error {
	same := len(records) == len(c.maps)
	found := make(map[string]cached, len(records))
	for file, r := range records {
		old, ok := c.maps[file]
		same = same && ok && old == r.base // results taken from the cache are identical
		found[file] = r.base
	}
	c.maps = found
	if same || c.path == "" {
		return nil
	}
	keep := maps.Clone(found)
	for file, entry := range found {
		// Invalid UTF-8 in a name or text would not survive JSON, so such maps are read at each start.
		if text, err := json.Marshal(map[string]cached{file: entry}); entry.unread || err != nil || bytes.Contains(text, lossy) {
			delete(keep, file)
		}
	}
	data, err := json.Marshal(cacheFile{Schema: schema, Maps: keep})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(c.path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(c.path+".new", data, 0o644)
	}
	if err == nil {
		err = os.Rename(c.path+".new", c.path)
	}
	if err != nil {
		return fmt.Errorf("map cache: %w", err)
	}
	return nil
}
