package catalogue

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"w3host/formats/w3map"
)

// maxListed is how many candidates an error names.
const maxListed = 8

// ErrNotFound says that no map has the words in its name.
var ErrNotFound = errors.New("no such map")

// AmbiguousError says that a part of a name fits several maps.
type AmbiguousError struct {
	Query string
	Files []string
}

func (e *AmbiguousError) Error() string {
	files, more := e.Files, ""
	if len(files) > maxListed {
		more = fmt.Sprintf(" and %d more", len(files)-maxListed)
		files = files[:maxListed]
	}
	return fmt.Sprintf("%q fits %d maps, so give more of the name: %s%s", e.Query, len(e.Files), strings.Join(files, ", "), more)
}

// Find finds a map by its file, its name or an unambiguous part of either; case and colour codes do not matter. An
// exact fit wins over a part. A map with a fault is found, too: its fault is the error.
func (c *Catalogue) Find(query string) (*MapFile, error) {
	wanted := fold(query)
	if wanted == "" {
		return nil, fmt.Errorf("%w: the name is empty", ErrNotFound)
	}
	entries := c.Files()
	for _, fits := range []func(e *MapFile) bool{
		func(e *MapFile) bool { return fold(e.File) == wanted },
		func(e *MapFile) bool { return fold(path.Base(e.File)) == wanted },
		func(e *MapFile) bool { return fold(stem(e.File)) == wanted },
		func(e *MapFile) bool { return fold(e.name()) == wanted },
		func(e *MapFile) bool {
			return strings.Contains(fold(e.File), wanted) || strings.Contains(fold(e.name()), wanted)
		},
	} {
		var hits []*MapFile
		for _, e := range entries {
			if fits(e) {
				hits = append(hits, e)
			}
		}
		switch {
		case len(hits) > 1:
			many := &AmbiguousError{Query: query}
			for _, hit := range hits {
				many.Files = append(many.Files, w3map.Shown(hit.File))
			}
			return nil, many
		case len(hits) == 1 && hits[0].Fault != nil:
			return nil, fmt.Errorf("%s cannot be hosted: %w", w3map.Shown(hits[0].File), hits[0].Fault)
		case len(hits) == 1:
			return hits[0], nil
		}
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("%w as %q: the folder %s has no maps", ErrNotFound, query, c.dir)
	}
	return nil, fmt.Errorf("%w as %q: no name of a map in %s contains it", ErrNotFound, query, c.dir)
}

// name is the map's own name, "" if it has a fault.
func (e *MapFile) name() string {
	if e.Map == nil {
		return ""
	}
	return e.Map.Name
}

func stem(file string) string {
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}

// fold makes names comparable. A name that is no UTF-8 may be given in its bytes, or as messages show it.
func fold(s string) string {
	return strings.ToLower(strings.ReplaceAll(w3map.Shown(w3map.Plain(s)), `\`, "/"))
}
