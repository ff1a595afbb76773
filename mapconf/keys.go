package mapconf

import (
	"fmt"
	"reflect"

	"github.com/BurntSushi/toml"
)

// unknownKey names the key and the known one that is nearest.
func unknownKey(path string, key toml.Key) error {
	of := reflect.TypeFor[Config]()
	if len(key) > 1 && key[0] == "slots" {
		of = reflect.TypeFor[Slot]()
	}
	name := key[len(key)-1]
	return fmt.Errorf("%s: unknown key %q; did you mean %q?", path, key.String(), nearest(name, names(of)))
}

// names lists the keys of a table in the order of its fields.
func names(table reflect.Type) []string {
	var keys []string
	for i := range table.NumField() {
		if key := table.Field(i).Tag.Get("toml"); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// nearest is the first of the names that takes the fewest changes.
func nearest(name string, among []string) string {
	best := among[0]
	for _, n := range among[1:] {
		if distance(name, n) < distance(name, best) {
			best = n
		}
	}
	return best
}

// distance counts the letters to insert, delete or change to get from a to b.
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
