package config

import (
	"encoding"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/hashicorp/go-multierror"

	"w3host/internal/nearest"
	"w3host/realm/bncs"
)

// Load returns the defaults, overridden by the file at path (unless path is empty) and by environ, which has the form of
// os.Environ. The error lists all faults at once; the Config then still has every value without a fault. Load does not
// validate the values.
func Load(path string, environ []string) (Config, error) {
	l := loader{Config: Default()}
	if path != "" {
		l.File = path
		l.readFile()
	}
	l.readEnviron(environ)
	l.readPasswords(environ)
	return l.Config, l.faults.ErrorOrNil()
}

// loader decodes values into a Config and collects the faults.
type loader struct {
	Config
	faults *multierror.Error
}

func (l *loader) fault(format string, args ...any) {
	l.faults = multierror.Append(l.faults, fmt.Errorf(format, args...))
}

// DefaultFile is the configuration file that is read if none is given and it exists.
const DefaultFile = "config.toml"

// Find returns the configuration file to read: the given one, else DefaultFile if it exists, else "".
func Find(named string) string {
	if _, err := os.Stat(DefaultFile); named == "" && err == nil {
		return DefaultFile
	}
	return named
}

func (l *loader) readFile() {
	text, err := os.ReadFile(l.File)
	info, statErr := os.Stat(l.File)
	switch {
	case statErr == nil && info.IsDir():
		l.fault("configuration file %s is a folder, which Docker creates if the file to mount is missing: remove it, and copy config.toml.example to %[1]s", l.File)
	case err != nil:
		l.faults = multierror.Append(l.faults, notRead(l.File, err))
	default:
		l.decode(string(text))
	}
}

// notRead turns the error of an unreadable configuration file into a message with a remedy.
func notRead(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("configuration file %s does not exist; copy config.toml.example there, or leave --config out", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("configuration file %s cannot be read by the user that w3host runs as (65532 in a container): chmod 644 %[1]s, or give it to that user", path)
	}
	return fmt.Errorf("configuration file %s cannot be read: %w", path, err)
}

// decode sets each value separately, so that a fault of one does not hide the others.
func (l *loader) decode(text string) {
	var sections map[string]any
	if _, err := toml.Decode(text, &sections); err != nil {
		l.faults = multierror.Append(l.faults, unreadable(l.File, err))
		return
	}
	fields := l.fields()
	fields[oldSyncLimit] = reflect.ValueOf(&l.Game.SyncLimit).Elem()
	for _, name := range sortedKeys(sections) {
		table, isTable := sections[name].(map[string]any)
		entries, isList := sections[name].([]map[string]any)
		switch {
		case name == realmSection:
			l.decodeRealms(sections[name])
		case name == webhookSection:
			l.decodeWebhooks(sections[name])
		case name == ladderSection:
			l.Ladders = decodeList[Ladder](l, ladderSection, sections[name])
		case name == commandsSection:
			l.decodeCommands(sections[name])
		case name == "autohost" && isList:
			l.decodeEntries(entries)
		case !isTable || !isSection(name):
			l.unknown(name)
		default:
			for _, key := range sortedKeys(table) {
				full := name + "." + key
				if field, ok := fields[full]; !ok {
					l.unknown(full)
				} else if err := set(field, table[key]); err != nil {
					l.fault("%s: %s = %v: %w", l.File, full, table[key], err)
				}
				l.ownerSet = l.ownerSet || full == ownerKey
			}
		}
	}
}

// oldSyncLimit is the old name of game.lag_limit, which files and the environment may still use. It takes turns of
// 100 ms.
const oldSyncLimit = "game.sync_limit"

// removed holds the keys and sections that earlier versions had, each with the reason for its removal.
var removed = map[string]string{
	"return":     "players cannot come back with a new client, which would ignore its player's earlier actions (docs/watching.md)",
	"watch.seat": "with watch.enabled, watchers always have a seat of their own (docs/watching.md)",
	"watch_seat": "with watch.enabled, watchers always have a seat of their own (docs/watching.md)",

	"limits.join_timeout":             "a new connection has 10s for its join",
	"limits.lobby_leaves_within":      "limits.lobby_leaves counts two minutes",
	"limits.action_burst_kib":         "a player may send four times limits.action_kib_per_second at once",
	"limits.slot_requests_per_second": "a player may change the slot 8 times a second",
	"limits.command_every":            "limits.command_burst refills by one command every 2s",
	"limits.query_every":              "commands that ask the database need 5s each",
	"limits.out_queue_kib":            "4 MiB may wait for one player",
	"watch.speed":                     "spectators start at the speed of the game and change it with !speed",
	"results.min_length":              minLengthGone,
	"results_min_length":              minLengthGone,
}

const minLengthGone = "a game counts from two minutes on"

func (l *loader) unknown(key string) {
	if why, gone := removed[key]; gone {
		l.fault("%s: %q is not a setting any more, delete it: %s", l.File, key, why)
		return
	}
	l.fault("%s: unknown key %q; did you mean %q?", l.File, key, nearest.Word(key, Keys()))
}

// decodeList decodes the sections of a list, such as [[realm]], each over the defaults of T.
func decodeList[T any](l *loader, name string, value any) (list []T) {
	sections, ok := value.([]map[string]any)
	if !ok {
		l.fault("%s: %[2]s: write [[%[2]s]], in two brackets, above the keys of each", l.File, name)
	}
	for i, section := range sections {
		var one T
		fields := reflect.ValueOf(&one).Elem()
		setDefaults(fields)
		l.decodeTable(fmt.Sprintf("[[%s]] %d", name, i+1), name+".", fieldsOf(fields, "toml"), section)
		list = append(list, one)
	}
	return list
}

// decodeTable sets fields from one section of a list. Faults call the section where, and its keys by prefix and name.
func (l *loader) decodeTable(where, prefix string, fields map[string]reflect.Value, values map[string]any) {
	for _, key := range sortedKeys(values) {
		field, known := fields[key]
		if removed[key] != "" {
			l.unknown(key)
		} else if !known {
			l.fault("%s: unknown key %q in %s; did you mean %q?", l.File, key, where, nearest.Word(key, sortedKeys(fields)))
		} else if err := set(field, values[key]); err != nil {
			shown := values[key]
			if _, secret := field.Interface().(bncs.Secret); secret {
				shown = "(not shown)"
			}
			l.fault("%s: %s%s = %v: %w", l.File, prefix, key, shown, err)
		}
	}
}

// wanted holds the advice for a value of the wrong type: for a single value, and for a list of them.
var wanted = map[reflect.Kind][2]string{
	reflect.Int:    {"write a whole number, without quotes", "write a list of whole numbers: [24, 26]"},
	reflect.Bool:   {"write true or false, without quotes"},
	reflect.String: {"write a text in quotes", `write a list of texts: ["one", "two"]`},
	reflect.Uint32: {"", `write a list of versions of the game: ["1.26", "1.27"]`},
}

// set sets a field to a decoded TOML value.
func set(field reflect.Value, value any) error {
	v, kind := reflect.ValueOf(value), field.Kind()
	if to, ok := field.Addr().Interface().(encoding.TextUnmarshaler); ok {
		err := to.UnmarshalText(fmt.Append(nil, value))
		if _, duration := to.(*Duration); err != nil && duration && (v.Kind() == reflect.Int64 || v.Kind() == reflect.Float64) {
			return fmt.Errorf(`a duration needs a unit and quotes: "%[1]vms" or "%[1]vs"`, value)
		}
		return err
	}
	switch {
	case kind == v.Kind() && kind != reflect.Slice, kind == reflect.Int && v.Kind() == reflect.Int64:
		field.Set(v.Convert(field.Type()))
		return nil
	case kind != reflect.Slice:
		return errors.New(wanted[kind][0])
	}
	items, ok := value.([]any)
	list := reflect.MakeSlice(field.Type(), len(items), len(items))
	for i := range items {
		ok = ok && set(list.Index(i), items[i]) == nil
	}
	if !ok {
		return errors.New(wanted[field.Type().Elem().Kind()][1])
	}
	field.Set(list)
	return nil
}

// unreadable turns a syntax error of TOML into a message with the line number.
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

// EnvPrefix is the prefix of all environment variables of the program.
const EnvPrefix = "W3HOST_"

// EnvName returns the environment variable of a key: W3HOST_DATABASE_URL for database.url.
func EnvName(key string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

func (l *loader) readEnviron(environ []string) {
	fields := l.fields()
	fields[oldSyncLimit] = reflect.ValueOf(&l.Game.SyncLimit).Elem()
	names := make(map[string]string, len(fields))
	for key := range fields {
		names[EnvName(key)] = key
	}
	gone := make(map[string]string, len(removed))
	for key, why := range removed {
		gone[EnvName(key)] = why
	}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, EnvPrefix) || reserved(name) || isRealmPassword(name) {
			continue
		}
		key, ok := names[name]
		if why := gone[name]; why != "" {
			l.fault("environment: %s is not a setting any more, delete it: %s", name, why)
		} else if !ok {
			near := nearest.Word(name, sortedKeys(names))
			if list := listOf(name); list != "" && nearest.Distance(name, near) > 2 {
				l.fault("environment: %s is not a setting: %s cannot come from the environment or .env; write it into config.toml", name, list)
				continue
			}
			l.fault("environment: %s is not a setting; did you mean %s?", name, near)
		} else if err := setText(fields[key], value); err != nil {
			l.fault("environment: %s=%s: %w", name, value, err)
		}
		l.ownerSet = l.ownerSet || key == ownerKey
	}
}

// listOf returns the section that an unknown variable seems to mean, if only a file can have that section, or "".
func listOf(name string) string {
	for prefix, list := range map[string]string{"AUTOHOST": "an [[autohost]] entry", "REALM": "a [[realm]]", "WEBHOOK": "a [[webhook]]", "LADDER": "a [[ladder]]", "COMMANDS": "a [commands.NAME]"} {
		if strings.HasPrefix(name, EnvPrefix+prefix) {
			return list
		}
	}
	return ""
}

// reserved reports whether a variable belongs to the tests or replaces the flag --config.
func reserved(name string) bool {
	return strings.HasPrefix(name, EnvPrefix+"TEST_") || name == EnvPrefix+"CONFIG"
}

// Set sets a key to a value written as in an environment variable. The key must exist.
func (c *Config) Set(key, text string) error { return setText(c.fields()[key], text) }

// setText sets a field to the text of an environment variable, in which commas separate the items of a list.
func setText(field reflect.Value, text string) error {
	switch field.Kind() {
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return errors.New("write a whole number")
		}
		return set(field, n)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("write true or false")
		}
		return set(field, b)
	case reflect.Slice:
		list := reflect.MakeSlice(field.Type(), 0, 0)
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item == "" {
				continue
			}
			one := reflect.New(field.Type().Elem()).Elem()
			if err := setText(one, item); err != nil {
				return fmt.Errorf("%w, with commas between several", err)
			}
			list = reflect.Append(list, one)
		}
		field.Set(list)
		return nil
	}
	return set(field, text)
}
