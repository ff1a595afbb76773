package mapconf

import (
	"fmt"
	"reflect"

	"github.com/BurntSushi/toml"

	"w3host/internal/nearest"
)

// unknownKey returns an error that names an unknown key and the most similar known one.
func unknownKey(path string, key toml.Key) error {
	of := reflect.TypeFor[Config]()
	if len(key) > 1 && key[0] == "slots" {
		of = reflect.TypeFor[Slot]()
	}
	if len(key) > 1 && key[0] == "versions" {
		of = reflect.TypeFor[Identity]()
	}
	name := key[len(key)-1]
	return fmt.Errorf("%s: unknown key %q; did you mean %q?", path, key.String(), nearest.Word(name, names(of)))
}

// names returns the keys of a table in the order of its fields.
func names(table reflect.Type) []string {
	var keys []string
	for i := range table.NumField() {
		if key := table.Field(i).Tag.Get("toml"); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}
