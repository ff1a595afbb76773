package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// fieldsOf maps the keys of a struct, which stand in a tag, to their places.
func fieldsOf(v reflect.Value, tag string) map[string]reflect.Value {
	fields := make(map[string]reflect.Value)
	for i := range v.NumField() {
		if key := v.Type().Field(i).Tag.Get(tag); key != "" {
			fields[key] = v.Field(i)
		}
	}
	return fields
}

// sections are the structs of [host], [lobby] and so on, in their order.
func (c *Config) sections(visit func(name string, section reflect.Value)) {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.Struct {
			visit(v.Type().Field(i).Tag.Get("toml"), v.Field(i))
		}
	}
}

// setDefaults puts the defaults of a struct's fields, and of its sections, into
// them.
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

// Default returns the configuration in which nothing is set.
func Default() (c Config) {
	setDefaults(reflect.ValueOf(&c).Elem())
	return c
}

// fields maps every key, section.name, to its place in the Config.
func (c *Config) fields() map[string]reflect.Value {
	fields := make(map[string]reflect.Value)
	c.sections(func(name string, section reflect.Value) {
		for key, field := range fieldsOf(section, "toml") {
			fields[name+"."+key] = field
		}
	})
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
func Keys() []string { return sortedKeys(new(Config).fields()) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func isSection(name string) bool {
	return slices.ContainsFunc(Keys(), func(key string) bool { return strings.HasPrefix(key, name+".") })
}
