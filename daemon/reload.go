package daemon

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/control"
	"w3host/game/autohost"
	"w3host/storage"
)

// entries converts the [[autohost]] entries of the configuration.
func entries(c config.Config, version string) (list []autohost.Entry) {
	for _, e := range c.Entries() {
		list = append(list, hostEntry(&e, version))
	}
	return list
}

// EntryPrefix is the prefix of the lease pools of entries.
var EntryPrefix = autohost.Pool("")

// EntryPools returns the lease pools of the entries.
func EntryPools(c config.Config) (list []storage.Pool) {
	for _, e := range c.Entries() {
		list = append(list, storage.Pool{Name: autohost.Pool(e.Lobby.Name), Leases: e.Autohost.Lobbies})
	}
	return list
}

func hostEntry(e *config.Entry, version string) autohost.Entry {
	hours, _ := autohost.ParseHours(e.Hours)
	rotation, _ := autohost.ParseRotation(e.Rotation)
	entry := autohost.Entry{
		Name: e.Lobby.Name, Lobbies: e.Autohost.Lobbies, MaxGames: e.Autohost.MaxGames, Hours: hours, Rotation: rotation,
		Setup: gameConfig(e.Config, version),
	}
	if e.Public() {
		entry.Setup.Lobby.Admission.ShareOfLobby = e.Limits.ShareOfLobby
	}
	for i, choice := range e.Choices() {
		weight := 1
		if i < len(e.Weights) {
			weight = e.Weights[i]
		}
		entry.Maps = append(entry.Maps, autohost.Choice{Map: choice, Weight: weight})
	}
	return entry
}

// current returns the configuration as of the last reload. Options.Config is the configuration at
// the start, so its reloadable keys may be outdated.
func (d *daemon) current() *config.Config { return d.lists.config.Load() }

// live reports whether a reload applies a key, from the next lobby or connection on.
func live(key string) bool {
	switch key {
	case "database.require_bans", "public.name", "public.url", "public.play_address", "public.index":
		return true
	case "lobby.command_trigger", "limits.shutdown_timeout":
		return false
	}
	section, _, _ := strings.Cut(key, ".")
	return slices.Contains([]string{"lobby", "game", "votes", "moderation", "autohost", "player_hosting", "maps", "transfer", "limits"}, section)
}

// reload applies the keys that can change while games run. The notes name the keys that need a restart.
func (d *daemon) reload() (notes []string, err error) {
	c, err := d.Read()
	if err != nil {
		return nil, err
	}
	now := d.maps.current()
	for _, key := range changed(now, c) {
		if !live(key) {
			notes = append(notes, fmt.Sprintf("%s has changed; restart the host to apply it.", key))
			c.Keep(key, now)
		}
	}
	if !reflect.DeepEqual(now.Realms, c.Realms) {
		notes = append(notes, "The realms have changed; restart the host to apply that.")
		c.Realms = now.Realms
	}
	if _, err := openMaps(d.ctx, c, "", zerolog.Nop()); err != nil {
		return nil, err
	}
	if err := d.lists.useCountries(c.Moderation); err != nil {
		return nil, err
	}
	d.maps.reload(c)
	d.lists.config.Store(&c)
	d.use(c)
	d.running.Configure(hostOptions(c, d.Version, zerolog.Nop())) // last, because it opens lobbies with the settings applied before
	return notes, nil
}

// use applies the configuration of commands and webhooks.
func (d *daemon) use(c config.Config) {
	d.operator.Use(commandRules(c), control.PlayerHosting(c.PlayerHosting))
	d.hooks.Use(hooks(c))
	if d.site != nil { // the web console is enabled
		d.site.Describe(siteInfo(c))
	}
}

// changed returns the keys with different values, in alphabetical order.
func changed(a, b config.Config) (keys []string) {
	va, vb := a.Values(), b.Values()
	for _, key := range config.Keys() {
		if !reflect.DeepEqual(va[key], vb[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}
