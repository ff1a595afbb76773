package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/hashicorp/go-multierror"

	"w3host/internal/nearest"
)

// Load reads the defaults, then the file (if path is not empty), then the
// environment. It collects every fault, so that one run shows them all; the
// Config is as complete as it could be made and has not been validated.
func Load(path string, environ []string) (Config, error) {
	c := Default()
	var faults *multierror.Error
	if path != "" {
		faults = multierror.Append(faults, c.readFile(path))
	}
	faults = multierror.Append(faults, c.readEnviron(environ))
	faults = multierror.Append(faults, c.readPasswords(environ))
	return c, faults.ErrorOrNil()
}

func (c *Config) readFile(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("configuration file %s does not exist; copy config.toml.example there, or leave --config out", path)
	}
	if err != nil {
		return fmt.Errorf("configuration file %s cannot be read: %w", path, err)
	}
	return c.decode(path, string(text))
}

// decode reads each value on its own, so that a bad one does not hide the next.
func (c *Config) decode(path, text string) error {
	var sections map[string]any
	meta, err := toml.Decode(text, &sections)
	if err != nil {
		return unreadable(path, err)
	}
	var faults *multierror.Error
	fields := c.fields()
	if entries, ok := sections["autohost"].([]map[string]any); ok {
		faults = multierror.Append(faults, c.decodeEntries(path, entries))
	}
	for _, key := range meta.Keys() {
		name := key.String()
		_, entries := sections["autohost"].([]map[string]any)
		if key[0] == realmSection || key[0] == commandsSection || entries && key[0] == "autohost" {
			continue
		}
		if len(key) == 1 {
			if _, table := sections[name].(map[string]any); !table || !isSection(fields, name) {
				faults = multierror.Append(faults, unknownKey(path, name))
			}
			continue
		}
		field, ok := fields[name]
		if !ok {
			if len(key) == 2 && isSection(fields, key[0]) {
				faults = multierror.Append(faults, unknownKey(path, name))
			}
			continue
		}
		section, _ := sections[key[0]].(map[string]any)
		if err := set(field, section[key[1]]); err != nil {
			faults = multierror.Append(faults, fmt.Errorf("%s: %s = %v: %w", path, name, section[key[1]], err))
		}
	}
	return multierror.Append(faults, c.decodeRealms(path, sections[realmSection]), c.decodeCommands(path, sections[commandsSection])).ErrorOrNil()
}

// set puts one decoded TOML value into its field by way of TOML again: the
// library knows the rules for every kind.
func set(field reflect.Value, value any) error {
	var text strings.Builder
	if err := toml.NewEncoder(&text).Encode(map[string]any{"v": value}); err != nil {
		return err
	}
	into := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "V", Type: field.Type(), Tag: `toml:"v"`}}))
	if _, err := toml.Decode(text.String(), into.Interface()); err != nil {
		return wanted(field, value, err)
	}
	field.Set(into.Elem().Field(0))
	return nil
}

// unreadable says where a file is no TOML.
func unreadable(path string, err error) error {
	parse, ok := errors.AsType[toml.ParseError](err)
	if !ok {
		return fmt.Errorf("%s: %w", path, err)
	}
	if strings.Contains(parse.Message, "'autohost'") {
		parse.Message += " Write either [autohost] or [[autohost]] entries, not both."
	}
	return fmt.Errorf("%s line %d: %s", path, parse.Position.Line, parse.Message)
}

// wanted turns the library's word on a wrong kind into what to write instead.
func wanted(field reflect.Value, value any, err error) error {
	switch field.Interface().(type) {
	case int:
		return errors.New("write a whole number, without quotes")
	case bool:
		return errors.New("write true or false, without quotes")
	case string:
		return errors.New("write a text in quotes")
	case []string:
		return errors.New(`write a list of texts: ["one", "two"]`)
	case Duration:
		switch value.(type) {
		case int64, float64:
			return fmt.Errorf(`a duration needs a unit and quotes: "%[1]vms" or "%[1]vs"`, value)
		}
	case []int:
		return errors.New("write a list of whole numbers: [24, 26]")
	}
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return errors.New(parse.Message)
	}
	return err
}

// EnvPrefix begins the name of every environment variable of the program.
const EnvPrefix = "W3HOST_"

// EnvName is the variable of a key: database.url gives W3HOST_DATABASE_URL.
func EnvName(key string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

func (c *Config) readEnviron(environ []string) error {
	var faults *multierror.Error
	fields := c.fields()
	names := make(map[string]string, len(fields))
	for key := range fields {
		names[EnvName(key)] = key
	}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, EnvPrefix) || reserved(name) || isRealmPassword(name) {
			continue
		}
		key, ok := names[name]
		if !ok {
			faults = multierror.Append(faults, fmt.Errorf("environment: %s is no setting; did you mean %s?", name, nearest.Word(name, slices.Sorted(maps.Keys(names)))))
			continue
		}
		if err := setText(fields[key], value); err != nil {
			faults = multierror.Append(faults, fmt.Errorf("environment: %s=%s: %w", name, value, err))
		}
	}
	return faults.ErrorOrNil()
}

// reserved are variables of the tests and of --config itself.
func reserved(name string) bool {
	return strings.HasPrefix(name, EnvPrefix+"TEST_") || name == EnvPrefix+"CONFIG"
}

// Set puts a text, written as in an environment variable, into a key that exists.
func (c *Config) Set(key, text string) error { return setText(c.fields()[key], text) }

// setText puts the text of an environment variable into a field. A list is
// separated by commas.
func setText(field reflect.Value, text string) error {
	switch field.Interface().(type) {
	case string:
		return set(field, text)
	case []string:
		return set(field, split(text))
	case []int:
		numbers := []int{}
		for _, item := range split(text) {
			n, err := strconv.Atoi(item)
			if err != nil {
				return errors.New("write whole numbers with commas between them")
			}
			numbers = append(numbers, n)
		}
		return set(field, numbers)
	case int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return errors.New("write a whole number")
		}
		return set(field, n)
	case bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("write true or false")
		}
		return set(field, b)
	}
	return set(field, text)
}

func split(text string) []string {
	list := []string{}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}
