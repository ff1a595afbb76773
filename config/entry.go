package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"w3host/game/autohost"
	"w3host/protocol/w3gs"
)

// Entry is an [[autohost]] entry: a kind of game whose lobbies are kept open.
type Entry struct {
	Config            // the configuration, overridden by the keys of the entry
	Playlist []string `toml:"maps"` // none: lobby.map
	Weights  []int    `toml:"weights"`
	Rotation string   `toml:"rotation" default:"order"` // order, random, vote
	Hours    []string `toml:"hours"`
}

// ownerKey names the owner of lobbies. Where neither it nor an [[autohost]] sets one, nobody owns the lobbies of the entry.
const ownerKey = "lobby.owner"

// Public reports whether the entry is an [[autohost]] of the file: its lobbies are for strangers, whom the operator does
// not know.
func (e *Entry) Public() bool { return len(e.autohost) > 0 }

// Unstartable reports whether nobody could ever start a lobby of the entry: it has no owner and does not start by itself.
func (e *Entry) Unstartable() bool {
	return e.Lobby.Owner == "" && e.Lobby.Autostart < 0 && e.Lobby.StartAfter == 0
}

// fields returns the fields of e by the keys that an entry may set.
func (e *Entry) fields() map[string]reflect.Value {
	fields := fieldsOf(reflect.ValueOf(e).Elem(), "toml")
	e.sections(func(_ string, section reflect.Value) { maps.Copy(fields, fieldsOf(section, "entry")) })
	return fields
}

// entry returns the entry that the sections describe without any [[autohost]].
func (c *Config) entry() Entry {
	var e Entry
	setDefaults(reflect.ValueOf(&e).Elem())
	e.Config = *c
	return e
}

// Entries returns the [[autohost]] entries of the file, or the single entry that the sections describe.
func (c *Config) Entries() []Entry {
	if len(c.autohost) == 0 {
		return []Entry{c.entry()}
	}
	list := make([]Entry, len(c.autohost))
	for i, values := range c.autohost {
		list[i] = c.entry()
		if !c.ownerSet {
			list[i].Lobby.Owner = ""
		}
		if values["version"] != nil {
			list[i].LAN.Versions = nil // they belong to host.version
		}
		new(loader).decodeTable("", "", list[i].fields(), values) // decode has reported the faults
	}
	return list
}

// Versions returns the versions whose clients see the lobbies of any entry, without duplicates.
func (c *Config) Versions() (list []w3gs.Version) {
	for _, e := range c.Entries() {
		for _, v := range e.Seen() {
			if !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	return list
}

// Seen returns the versions whose clients see the lobbies of the entry, starting with its main version.
func (e *Entry) Seen() []w3gs.Version {
	return append([]w3gs.Version{e.Host.Version}, e.LAN.Versions...)
}

// Choices returns the configured maps of the entry; there is at least one.
func (e *Entry) Choices() []string {
	if len(e.Playlist) > 0 {
		return e.Playlist
	}
	return []string{e.Lobby.Map}
}

// decodeEntries stores the [[autohost]] entries of a file and reports their faults.
func (l *loader) decodeEntries(entries []map[string]any) {
	l.autohost = entries
	fields := new(Entry).fields()
	for i, values := range entries {
		where := fmt.Sprintf("autohost entry %d", i+1)
		l.decodeTable(where, where+": ", fields, values)
	}
}

// entries validates the keys that each entry sets. Faults of inherited values are reported for the sections.
func (v *validator) entries(c *Config) {
	names := map[string]int{}
	for i, e := range c.Entries() {
		key := func(name string) string { return fmt.Sprintf("autohost entry %d: %s", i+1, name) }
		if other, twice := names[e.Lobby.Name]; twice {
			v.fault(key("name"), fmt.Sprintf("%q", e.Lobby.Name), "entry %d has the same; names tell entries apart", other)
		}
		names[e.Lobby.Name] = i + 1
		v.oneOf(key("rotation"), e.Rotation, autohost.Rotations()...)
		v.maps(key, c.autohost[i], &e)
		for _, span := range e.Hours {
			if _, err := autohost.ParseHours([]string{span}); err != nil {
				v.fault(key("hours"), fmt.Sprintf("%q", span), "must be a span of hours, for example 18:00-02:00")
			}
		}
		e.sections(func(_ string, section reflect.Value) {
			v.section(section, "entry", func(name string) (string, bool) { return key(name), c.autohost[i][name] != nil })
		})
		v.lobby(key, &e.Lobby)
		v.entryVersions(key, c.autohost[i], &e)
	}
}

// entryVersions validates the versions of an entry; set holds the keys that it sets.
func (v *validator) entryVersions(key func(string) string, set map[string]any, e *Entry) {
	with := "host.version"
	if set["version"] != nil {
		v.version(key("version"), e.Host.Version)
		with = "version"
	}
	if set["versions"] != nil {
		v.versions(key("versions"), e.LAN.Versions, with, e.Host.Version)
	}
	v.players(key, e, e.Lobby.Crossplay && set["crossplay"] != nil, "versions")
}

// maps validates the maps of an entry and their weights.
func (v *validator) maps(key func(string) string, set map[string]any, e *Entry) {
	if set["map"] != nil && set["maps"] != nil {
		v.fault(key("map"), fmt.Sprintf("%q", e.Lobby.Map), "must not be there beside maps: write all of them into maps")
	}
	if len(e.Weights) == 0 {
		return
	}
	switch {
	case len(e.Weights) != len(e.Playlist):
		v.fault(key("weights"), e.Weights, "must have a number for each of the %d maps", len(e.Playlist))
	case e.Rotation == autohost.InOrder.String():
		v.fault(key("weights"), e.Weights, "has no effect with rotation = %q: write \"random\" or \"vote\"", e.Rotation)
	case slices.Max(e.Weights) == 0:
		v.fault(key("weights"), e.Weights, "leaves no map: one of them at least must be above 0")
	}
	for _, w := range e.Weights {
		v.between(key("weights"), w, 0, 1000)
	}
}

// lobby validates the keys that [lobby] and [[autohost]] entries share.
func (v *validator) lobby(key func(string) string, l *Lobby) {
	v.text(key("name"), strings.ReplaceAll(l.Name, "{n}", "1"), 1, w3gs.MaxGameNameLen)
	if l.Autostart > 0 && l.Autostart < l.MinPlayers {
		v.fault(key("autostart"), l.Autostart, "must not be below min_players = %d, without which nothing starts", l.MinPlayers)
	}
	automatic := func(name string, on bool) {
		if on && l.Autostart < 0 && l.StartAfter == 0 {
			v.fault(key(name), on, "has no effect where nothing starts by itself: set autostart or start_after")
		}
	}
	automatic("start_ready", l.StartReady)
	automatic("start_balanced", l.StartBalanced)
	for _, name := range l.Reserved {
		name, _, _ = strings.Cut(name, "@")
		v.text(key("reserved"), name, 1, w3gs.MaxTagLen)
	}
}
