package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-multierror"

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
}

// rotations are the words of autohost.Rotations, which this room cannot ask.
var rotations = []string{"order", "random", "vote"}

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
	l := &c.Lobby
	return Entry{
		Name: l.Name, Lobbies: c.Autohost.Lobbies, MaxGames: c.Autohost.MaxGames, Map: l.Map, Maps: []string{},
		Weights: []int{}, Rotation: rotations[0], Hours: []string{},
		Autostart: l.Autostart, MinPlayers: l.MinPlayers, StartAfter: l.StartAfter,
		Countdown: l.Countdown, CountdownRestarts: l.CountdownRestarts, Observers: l.Observers, HCL: l.HCL,
		Owner: l.Owner, Welcome: l.Welcome, Rules: l.Rules, Reserved: l.Reserved, PingLimit: l.PingLimit,
		IdleAfter: l.IdleAfter, AbandonedAfter: l.AbandonedAfter, OwnerAFKAfter: l.OwnerAFKAfter,
		Latency: c.Game.Latency, Downloads: c.Transfer.Mode,
	}
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
		v.oneOf(key("rotation"), e.Rotation, rotations...)
		if len(e.Weights) > 0 && len(e.Weights) != len(e.Maps) {
			v.fault(key("weights"), e.Weights, "must have a number for each of the %d maps", len(e.Maps))
		}
		for _, w := range e.Weights {
			v.between(key("weights"), w, 0, 1000)
		}
		for _, span := range e.Hours {
			if err := checkHours(span); err != nil {
				v.fault(key("hours"), fmt.Sprintf("%q", span), "%v", err)
			}
		}
		v.lobby(key, &e)
		v.within(key("latency"), e.Latency, w3gs.MinPeriod, w3gs.MaxPeriod)
		v.oneOf(key("downloads"), e.Downloads, "on", "off", "ask")
	}
}

// lobby checks what [lobby] and [[autohost]] share.
func (v *validator) lobby(key func(string) string, e *Entry) {
	v.between(key("autostart"), e.Autostart, -1, w3gs.MaxSlots)
	v.between(key("min_players"), e.MinPlayers, 0, w3gs.MaxSlots)
	v.within(key("start_after"), e.StartAfter, 0, 24*time.Hour)
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

// checkHours reads a span such as 18:00-02:00.
func checkHours(span string) error {
	from, to, ok := strings.Cut(span, "-")
	for _, at := range []string{from, to} {
		if _, err := time.Parse("15:04", strings.TrimSpace(at)); err != nil && strings.TrimSpace(at) != "24:00" {
			ok = false
		}
	}
	if !ok || strings.TrimSpace(from) == strings.TrimSpace(to) {
		return errors.New("must be a span of hours, for example 18:00-02:00")
	}
	return nil
}
