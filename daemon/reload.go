package daemon

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/game/autohost"
	"w3host/host"
	"w3host/storage"
)

// entries are the kinds of games of which autohost keeps lobbies open.
func entries(c config.Config, version string) (list []autohost.Entry) {
	for _, e := range c.Entries() {
		list = append(list, hostEntry(&e, version))
	}
	return list
}

// EntryPrefix is before the names of entries in those of their leases.
var EntryPrefix = autohost.Pool("")

// EntryPools are the leases of the entries.
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
	for i, choice := range e.Choices() {
		weight := 1
		if i < len(e.Weights) {
			weight = e.Weights[i]
		}
		entry.Maps = append(entry.Maps, autohost.Choice{Map: choice, Weight: weight})
	}
	return entry
}

// reloader applies a changed configuration to a host that runs.
type reloader struct {
	read    func() (config.Config, error) // Options.Read
	version string
	now     config.Config
	maps    *Maps
	host    *host.Host
	lists   *guard
	use     func(config.Config) // the commands of the host
}

// live reports whether a reload applies a key, to the next lobby or connection.
func live(key string) bool {
	switch key {
	case "database.require_bans":
		return true
	case "lobby.command_trigger", "limits.shutdown_timeout":
		return false
	}
	section, _, _ := strings.Cut(key, ".")
	return slices.Contains([]string{"lobby", "game", "votes", "moderation", "autohost", "player_hosting", "maps", "transfer", "limits"}, section)
}

// reload applies what can be changed while games run. The notes name what needs a
// restart.
func (r *reloader) reload() (notes []string, err error) {
	c, err := r.read()
	if err != nil {
		return nil, err
	}
	for _, key := range changed(r.now, c) {
		if !live(key) {
			notes = append(notes, fmt.Sprintf("%s has changed: it takes effect when the host is started again.", key))
			c.Keep(key, r.now)
		}
	}
	if !reflect.DeepEqual(r.now.Realms, c.Realms) {
		notes = append(notes, "The realms have changed: that takes effect when the host is started again.")
		c.Realms = r.now.Realms
	}
	if _, err := openMaps(r.maps.ctx, c, "", zerolog.Nop()); err != nil {
		return nil, err
	}
	if err := r.lists.useCountries(c.Moderation); err != nil {
		return nil, err
	}
	r.maps.reload(c)
	r.lists.use(c)
	r.use(c)
	r.host.Configure(hostOptions(c, r.version, zerolog.Nop())) // last: it opens lobbies again, by what the others know
	r.now = c
	return notes, nil
}

// changed lists the keys with another value, in the order of the alphabet.
func changed(a, b config.Config) (keys []string) {
	va, vb := a.Values(), b.Values()
	for _, key := range config.Keys() {
		if !reflect.DeepEqual(va[key], vb[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}
