package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// fields maps every key, section.name, to its place in the Config.
func (c *Config) fields() map[string]reflect.Value {
	fields := make(map[string]reflect.Value)
	sections := reflect.ValueOf(c).Elem()
	for i := range sections.NumField() {
		section := sections.Field(i)
		prefix := sections.Type().Field(i).Tag.Get("toml") + "."
		for j := range section.NumField() {
			fields[prefix+section.Type().Field(j).Tag.Get("toml")] = section.Field(j)
		}
	}
	return fields
}

// Keys lists every key in the order of the alphabet.
func Keys() []string {
	var c Config
	var keys []string
	for key := range c.fields() {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func isSection(fields map[string]reflect.Value, name string) bool {
	for key := range fields {
		if strings.HasPrefix(key, name+".") {
			return true
		}
	}
	return false
}

func unknownKey(path, name string, fields map[string]reflect.Value) error {
	return fmt.Errorf("%s: unknown key %q; did you mean %q?", path, name, nearest(name, fields))
}

// nearest is the known name with the fewest single-letter changes to name.
func nearest[V any](name string, known map[string]V) string {
	best, bestDistance := "", len(name)+64
	for k := range known {
		d := distance(name, k)
		if d < bestDistance || d == bestDistance && k < best {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance is Levenshtein's: insertions, deletions and changes of one byte.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
