package catalogue

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"w3host/formats/w3map"
)

// maxListed is the number of candidates in an AmbiguousError's text.
const maxListed = 8

// ErrNotFound is returned if no map name matches.
var ErrNotFound = errors.New("no such map")

// AmbiguousError is returned if a query matches several maps.
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
	return fmt.Sprintf("%q matches %d maps; type more of the name: %s%s", e.Query, len(e.Files), strings.Join(files, ", "), more)
}

// Find returns the map whose file or name equals the query or uniquely contains it. It ignores case and
// colour codes; exact matches win. If the map has a Fault, Find returns that as error.
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
		return nil, fmt.Errorf("%w: %q; the folder %s contains no maps", ErrNotFound, query, c.dir)
	}
	return nil, fmt.Errorf("%w: %q; no map name in %s contains it", ErrNotFound, query, c.dir)
}

// name returns the map's name, or "" if it has a Fault.
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

// fold normalises names for comparison. A name that is not valid UTF-8 may be given as raw bytes or as
// messages show it.
func fold(s string) string {
	return strings.ToLower(strings.ReplaceAll(w3map.Shown(w3map.Plain(s)), `\`, "/"))
}
