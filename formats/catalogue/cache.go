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

// schema changes whenever the values computed of a map do, so that an older cache is not used.
const schema = 4

// cache holds earlier results, by the name of the file within the folder.
type cache struct {
	path string
	maps map[string]cached
}

// cached holds the results for one file, one version of the game and its scripts.
type cached struct {
	Size    int64        `json:"size"`
	ModTime int64        `json:"mod_time"`
	Version w3gs.Version `json:"version"`
	Scripts string       `json:"scripts,omitempty"` // w3map.Scripts.Key
	Fault   string       `json:"fault,omitempty"`
	Map     *w3map.Map   `json:"map,omitempty"`

	unread bool // Fault is why the file could not be opened or read, such as missing rights: it is tried again and not kept
}

type cacheFile struct {
	Schema int               `json:"schema"`
	Maps   map[string]cached `json:"maps"`
}

// lossy is how JSON marks text that is no UTF-8.
var lossy = []byte(`\ufffd`)

// loadCache reads the file at path. A cache that is missing or damaged is empty; the error is for information.
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
		return c, fmt.Errorf("map cache %s is damaged and will be written anew: %w", path, err)
	}
	if file.Schema == schema && file.Maps != nil {
		c.maps = file.Maps
	}
	return c, nil
}

// get answers with the record of a file that has not changed since.
func (c *cache) get(file string, now stamp, opts Options) (cached, bool) {
	known, ok := c.maps[file]
	return known, ok && known.ModTime == now.ModTime && known.usable(now.Size, opts)
}

// usable says whether the values computed then would be computed now. Values that needed the game's scripts stay good
// when the scripts are gone.
func (k *cached) usable(size int64, opts Options) bool {
	if k.unread || k.Size != size || k.Version != opts.Version || k.Map == nil && k.Fault == "" {
		return false
	}
	return opts.Scripts == nil || k.Scripts == opts.Scripts.Key()
}

// save writes the records of now, if any is new. It is written all at once, so that a crash leaves the old
// file or the new one.
func (c *cache) save(records map[string]*record) error {
	same := len(records) == len(c.maps)
	found := make(map[string]cached, len(records))
	for file, r := range records {
		old, ok := c.maps[file]
		same = same && ok && old == r.base // a record out of the cache is the very same
		found[file] = r.base
	}
	c.maps = found
	if same || c.path == "" {
		return nil
	}
	keep := maps.Clone(found)
	for file, entry := range found {
		// A map with a name or a text that is no UTF-8 would come back as another: it is read at each start.
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
