package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"w3host/internal/nearest"
)

// fields maps every key, section.name, to its place in the Config.
func (c *Config) fields() map[string]reflect.Value {
	fields := make(map[string]reflect.Value)
	sections := reflect.ValueOf(c).Elem()
	for i := range sections.NumField() {
		section := sections.Field(i)
		if section.Kind() != reflect.Struct {
			continue // a list of sections
		}
		prefix := sections.Type().Field(i).Tag.Get("toml") + "."
		for j := range section.NumField() {
			fields[prefix+section.Type().Field(j).Tag.Get("toml")] = section.Field(j)
		}
	}
	return fields
}

// Values are the values of all keys.
func (c Config) Values() map[string]any {
	values := make(map[string]any)
	for key, field := range c.fields() {
		values[key] = field.Interface()
	}
	return values
}

// Keep sets a key to its value in another configuration.
func (c *Config) Keep(key string, from Config) { c.fields()[key].Set(from.fields()[key]) }

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

func unknownKey(path, name string) error {
	return fmt.Errorf("%s: unknown key %q; did you mean %q?", path, name, nearest.Word(name, Keys()))
}
