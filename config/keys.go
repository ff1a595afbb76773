package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// fieldsOf returns the fields of a struct by their keys, which it reads from the struct tag named tag.
func fieldsOf(v reflect.Value, tag string) map[string]reflect.Value {
	fields := make(map[string]reflect.Value)
	for i := range v.NumField() {
		if key := v.Type().Field(i).Tag.Get(tag); key != "" {
			fields[key] = v.Field(i)
		}
	}
	return fields
}

// sections calls visit for each section struct, such as that of [host], in the order of Config.
func (c *Config) sections(visit func(name string, section reflect.Value)) {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.Struct {
			visit(v.Type().Field(i).Tag.Get("toml"), v.Field(i))
		}
	}
}

// setDefaults sets the fields of a struct, and of the structs in it, to the values of their default tags. It panics on an
// invalid tag.
func setDefaults(v reflect.Value) {
	for i := range v.NumField() {
		field, text := v.Field(i), v.Type().Field(i).Tag.Get("default")
		switch {
		case field.Kind() == reflect.Struct:
			setDefaults(field)
		case text != "" || field.CanSet() && field.Kind() == reflect.Slice && field.Type().Elem().Kind() != reflect.Struct:
			if err := setText(field, text); err != nil {
				panic(fmt.Sprintf("default of %s: %v", v.Type().Field(i).Name, err))
			}
		}
	}
}

// Default returns the configuration with the default of every key.
func Default() (c Config) {
	setDefaults(reflect.ValueOf(&c).Elem())
	return c
}

// fields returns the fields of c by their keys (section.name).
func (c *Config) fields() map[string]reflect.Value {
	fields := make(map[string]reflect.Value)
	c.sections(func(name string, section reflect.Value) {
		for key, field := range fieldsOf(section, "toml") {
			fields[name+"."+key] = field
		}
	})
	return fields
}

// Values returns the values of all keys.
func (c Config) Values() map[string]any {
	values := make(map[string]any)
	for key, field := range c.fields() {
		values[key] = field.Interface()
	}
	return values
}

// Keep sets key to its value in from. The key must exist.
func (c *Config) Keep(key string, from Config) { c.fields()[key].Set(from.fields()[key]) }

// Keys returns all keys, sorted.
func Keys() []string { return sortedKeys(new(Config).fields()) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func isSection(name string) bool {
	return slices.ContainsFunc(Keys(), func(key string) bool { return strings.HasPrefix(key, name+".") })
}
