package config

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/hashicorp/go-multierror"

	"w3host/autohost"
	"w3host/internal/nearest"
	"w3host/w3gs"
)

// Entry is one [[autohost]]: a kind of game of which a lobby is always open.
// What it does not set is as in the sections.
type Entry struct {
	Name     string   `toml:"name"`
	Lobbies  int      `toml:"lobbies"`
	MaxGames int      `toml:"max_games"`
	Map      string   `toml:"map"`
	Maps     []string `toml:"maps"`
	Weights  []int    `toml:"weights"`
	Rotation string   `toml:"rotation"` // order, random, vote
	Hours    []string `toml:"hours"`

	Autostart         int      `toml:"autostart"`
	MinPlayers        int      `toml:"min_players"`
	StartAfter        Duration `toml:"start_after"`
	StartReady        bool     `toml:"start_ready"`
	StartBalanced     bool     `toml:"start_balanced"`
	Countdown         int      `toml:"countdown"`
	CountdownRestarts bool     `toml:"countdown_restarts"`
	Observers         string   `toml:"observers"`
	HCL               string   `toml:"hcl"`
	Owner             string   `toml:"owner"`
	Welcome           []string `toml:"welcome"`
	Rules             []string `toml:"rules"`
	Reserved          []string `toml:"reserved"`
	PingLimit         Duration `toml:"ping_limit"`
	IdleAfter         Duration `toml:"idle_after"`
	AbandonedAfter    Duration `toml:"abandoned_after"`
	OwnerAFKAfter     Duration `toml:"owner_afk_after"`
	Latency           Duration `toml:"latency"`
	Downloads         string   `toml:"downloads"`
	PlayerRate        ByteRate `toml:"player_rate"`
	MaxDownloaders    int      `toml:"max_downloaders"`
	DownloadTimeout   Duration `toml:"download_timeout"`
}

// elsewhere are the keys of an entry that replace one outside [lobby].
var elsewhere = map[string]string{
	"lobbies": "autohost.lobbies", "max_games": "autohost.max_games", "latency": "game.latency",
	"downloads": "transfer.mode", "player_rate": "transfer.player_rate",
	"max_downloaders": "transfer.max_downloaders", "download_timeout": "transfer.download_timeout",
}

// pairs are the places of the values that entries and sections share.
func (c *Config) pairs(e *Entry, each func(section, entry reflect.Value)) {
	sections := c.fields()
	for key, field := range e.fields() {
		if section, ok := sections[cmp.Or(elsewhere[key], "lobby."+key)]; ok {
			each(section, field)
		}
	}
}

// With is the configuration with the entry's values in its sections.
func (c Config) With(e *Entry) Config {
	c.pairs(e, func(section, entry reflect.Value) { section.Set(entry) })
	return c
}

// Entries are what autohost keeps open: the [[autohost]] of the file, or one that
// the sections describe.
func (c *Config) Entries() []Entry {
	if len(c.autohost) == 0 {
		return []Entry{c.entry()}
	}
	list := make([]Entry, len(c.autohost))
	for i, values := range c.autohost {
		list[i] = c.entry()
		fields := list[i].fields()
		for key, value := range values {
			if field, ok := fields[key]; ok {
				_ = set(field, value) // decode has reported what is wrong
			}
		}
		if _, ok := values["map"]; ok && values["maps"] == nil {
			list[i].Maps = []string{}
		}
	}
	return list
}

// Sections are the entry that [lobby] and the other sections describe.
func (c *Config) Sections() *Entry {
	e := c.entry()
	return &e
}

// entry is the one that the sections describe.
func (c *Config) entry() Entry {
	e := Entry{Maps: []string{}, Weights: []int{}, Rotation: autohost.InOrder.String(), Hours: []string{}}
	c.pairs(&e, func(section, entry reflect.Value) { entry.Set(section) })
	return e
}

// fields maps the keys of an entry to their places.
func (e *Entry) fields() map[string]reflect.Value {
	fields := make(map[string]reflect.Value)
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		fields[v.Type().Field(i).Tag.Get("toml")] = v.Field(i)
	}
	return fields
}

// Choices are the maps of the entry, one at least.
func (e *Entry) Choices() []string {
	if len(e.Maps) > 0 {
		return e.Maps
	}
	return []string{e.Map}
}

// decodeEntries takes the [[autohost]] of a file.
func (c *Config) decodeEntries(path string, entries []map[string]any) error {
	var faults *multierror.Error
	c.autohost = entries
	fields := new(Entry).fields()
	for i, values := range entries {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			field, ok := fields[key]
			if !ok {
				faults = multierror.Append(faults, fmt.Errorf("%s: autohost entry %d: unknown key %q; did you mean %q?", path, i+1, key, nearest.Word(key, slices.Sorted(maps.Keys(fields)))))
				continue
			}
			if err := set(field, values[key]); err != nil {
				faults = multierror.Append(faults, fmt.Errorf("%s: autohost entry %d: %s = %v: %w", path, i+1, key, values[key], err))
			}
		}
	}
	return faults.ErrorOrNil()
}

// entries checks what each entry sets; faults of what it inherits are reported
// for the sections.
func (v *validator) entries(c *Config) {
	names := map[string]int{}
	for i, e := range c.Entries() {
		key := func(name string) string { return fmt.Sprintf("autohost entry %d: %s", i+1, name) }
		if other, twice := names[e.Name]; twice {
			v.fault(key("name"), fmt.Sprintf("%q", e.Name), "entry %d has the same; names tell entries apart", other)
		}
		names[e.Name] = i + 1
		v.text(key("name"), e.Name, 1, w3gs.MaxGameNameLen+len("{n}"))
		v.between(key("lobbies"), e.Lobbies, 0, 1000)
		v.between(key("max_games"), e.MaxGames, 1, 100000)
		v.oneOf(key("rotation"), e.Rotation, autohost.Rotations()...)
		v.maps(key, c.autohost[i], &e)
		for _, span := range e.Hours {
			if _, err := autohost.ParseHours([]string{span}); err != nil {
				v.fault(key("hours"), fmt.Sprintf("%q", span), "must be a span of hours, for example 18:00-02:00")
			}
		}
		v.lobby(key, &e)
		v.within(key("latency"), e.Latency, w3gs.MinPeriod, w3gs.MaxPeriod)
		v.oneOf(key("downloads"), e.Downloads, "on", "off", "ask")
		v.between(key("max_downloaders"), e.MaxDownloaders, 0, 10000)
		v.within(key("download_timeout"), e.DownloadTimeout, 10*time.Second, 24*time.Hour)
	}
}

// maps checks which maps an entry has and how one is chosen.
func (v *validator) maps(key func(string) string, set map[string]any, e *Entry) {
	if set["map"] != nil && set["maps"] != nil {
		v.fault(key("map"), fmt.Sprintf("%q", e.Map), "must not be there beside maps: write all of them into maps")
	}
	if len(e.Weights) == 0 {
		return
	}
	switch {
	case len(e.Weights) != len(e.Maps):
		v.fault(key("weights"), e.Weights, "must have a number for each of the %d maps", len(e.Maps))
	case e.Rotation == autohost.InOrder.String():
		v.fault(key("weights"), e.Weights, "has no effect with rotation = %q: write \"random\" or \"vote\"", e.Rotation)
	case slices.Max(e.Weights) == 0:
		v.fault(key("weights"), e.Weights, "leaves no map: one of them at least must be above 0")
	}
	for _, w := range e.Weights {
		v.between(key("weights"), w, 0, 1000)
	}
}

// lobby checks what [lobby] and [[autohost]] share.
func (v *validator) lobby(key func(string) string, e *Entry) {
	v.between(key("autostart"), e.Autostart, -1, w3gs.MaxSlots)
	v.between(key("min_players"), e.MinPlayers, 0, w3gs.MaxSlots)
	v.within(key("start_after"), e.StartAfter, 0, 24*time.Hour)
	if e.Autostart > 0 && e.Autostart < e.MinPlayers {
		v.fault(key("autostart"), e.Autostart, "must not be below min_players = %d, without which nothing starts", e.MinPlayers)
	}
	for name, on := range map[string]bool{"start_ready": e.StartReady, "start_balanced": e.StartBalanced} {
		if on && e.Autostart < 0 && e.StartAfter == 0 {
			v.fault(key(name), on, "has no effect where nothing starts by itself: set autostart or start_after")
		}
	}
	v.between(key("countdown"), e.Countdown, 0, 60)
	v.oneOf(key("observers"), e.Observers, w3gs.ObserverChoices.Words()...)
	for _, name := range e.Reserved {
		v.text(key("reserved"), name, 1, w3gs.MaxNameLen)
	}
	for _, line := range e.Welcome {
		v.text(key("welcome"), line, 1, w3gs.MaxLobbyChatLen)
	}
	for _, line := range e.Rules {
		v.text(key("rules"), line, 1, w3gs.MaxLobbyChatLen)
	}
	if e.PingLimit != 0 {
		v.within(key("ping_limit"), e.PingLimit, 20*time.Millisecond, time.Minute)
	}
	for name, d := range map[string]Duration{"idle_after": e.IdleAfter, "abandoned_after": e.AbandonedAfter, "owner_afk_after": e.OwnerAFKAfter} {
		if d != 0 {
			v.within(key(name), d, time.Second, 24*time.Hour)
		}
	}
}
