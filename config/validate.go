package config

import (
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-multierror"

	"w3host/internal/network"
	"w3host/protocol/w3gs"
)

// Interfaces is the word in lan.broadcast for the broadcast addresses of all network interfaces, which may change while the
// host runs.
const Interfaces = "interfaces"

// replayPlaces lists the placeholders of replays.name.
var replayPlaces = []string{"{date}", "{time}", "{game}", "{map}", "{id}", "{players}"}

// Validate returns one error that lists every invalid value with its key and the remedy, or nil.
func (c *Config) Validate() error {
	var v validator
	c.sections(func(name string, section reflect.Value) {
		v.section(section, "toml", func(key string) (string, bool) { return name + "." + key, true })
	})
	if ports, err := network.Ports(c.Host.Listen); err == nil {
		v.address("host.listen", ports[0])
	} else {
		v.fault("host.listen", strconv.Quote(c.Host.Listen), "must be ADDRESS:PORT, for example 192.168.1.5:6112, :6112 for all addresses, or :6112-6199 for the first port of these that is free")
	}
	v.syncLimit(&c.Game)
	v.version("host.version", c.Host.Version)
	lobbyKey := func(name string) string { return "lobby." + name }
	v.lobby(lobbyKey, &c.Lobby)
	if len(c.autohost) > 0 {
		v.entries(c)
	}
	if c.Reconnect.Listen != "" {
		v.address("reconnect.listen", c.Reconnect.Listen)
	}
	for _, a := range c.LAN.Broadcast {
		if a != Interfaces {
			v.ipv4("lan.broadcast", a)
		}
	}
	for _, a := range c.LAN.Targets {
		v.ipv4("lan.targets", a)
	}
	v.versions("lan.versions", c.LAN.Versions, "host.version", c.Host.Version)
	if len(c.autohost) == 0 {
		own := c.entry()
		v.players(lobbyKey, &own, own.Lobby.Crossplay, "lan.versions")
	}
	v.template("replays.name", c.Replays.Name)
	if c.Watch.Enabled && !c.Replays.Enabled {
		v.fault("watch.enabled", true, "needs replays.enabled: games are shown from their replays")
	}
	if url := c.Database.URL; url != "" && !strings.ContainsAny(url, ":=") {
		v.fault("database.url", "(not shown, it may hold a password)", "must be sqlite:FILE or postgres://USER@HOST/DATABASE, for example sqlite:data/w3host.db")
	}
	if c.Fleet.Enabled && strings.HasPrefix(c.DatabaseURL(), "sqlite:") {
		v.fault("fleet.enabled", true, "needs Postgres as database.url, which all hosts share: postgres://USER@HOST/DATABASE")
	}
	v.networks("limits.exempt", c.Limits.Exempt, "192.168.0.0/16")
	v.web(&c.Web)
	v.public(&c.Public)
	v.ladders(c)
	for i := range c.Realms {
		v.realm(c, i)
	}
	for i := range c.Webhooks {
		v.webhook(c, i)
	}
	return v.faults.ErrorOrNil()
}

// ParseNetwork parses a network such as 192.168.0.0/16. It returns a single address as a network of one address.
func ParseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

type validator struct {
	faults *multierror.Error
}

// section validates the fields of a section by their tags range and oneof. The struct tag named tag has the key; name turns
// the key into the one shown in faults, and returns false for a key that is not set here.
func (v *validator) section(section reflect.Value, tag string, name func(key string) (string, bool)) {
	for i := range section.NumField() {
		field, tags := section.Field(i), section.Type().Field(i).Tag
		key, here := name(tags.Get(tag))
		if tags.Get(tag) == "" || !here {
			continue
		}
		if words, limited := tags.Lookup("oneof"); limited {
			v.oneOf(key, field.String(), strings.Fields(words)...)
		}
		bounds, orZero := strings.CutPrefix(tags.Get("range"), "0|")
		if low, high, bounded := strings.Cut(bounds, ".."); bounded && !(orZero && field.IsZero()) {
			v.bounds(key, field, low, high)
		}
	}
}

// bounds validates a number, a duration, a retention period, or the length of texts.
func (v *validator) bounds(key string, field reflect.Value, low, high string) {
	switch value := field.Interface().(type) {
	case Duration:
		v.within(key, value, parsed(time.ParseDuration(low)), parsed(time.ParseDuration(high)))
		return
	case Span:
		least, known := ParseSpan(low)
		if !known {
			panic("an age of at least " + low)
		}
		if value.D() < least {
			v.fault(key, value, "must be at least %s, or forever", low)
		}
		return
	}
	least, most := parsed(strconv.Atoi(low)), parsed(strconv.Atoi(high))
	switch value := field.Interface().(type) {
	case int:
		v.between(key, value, least, most)
	case string:
		v.text(key, value, least, most)
	case []string:
		for _, text := range value {
			v.text(key, text, least, most)
		}
	}
}

// parsed returns a value that was parsed from a struct tag. It panics on an error, which is a bug.
func parsed[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func (v *validator) fault(key string, value any, format string, args ...any) {
	v.faults = multierror.Append(v.faults, fmt.Errorf("%s = %v: %s", key, value, fmt.Sprintf(format, args...)))
}

// syncLimit validates the old key of game.lag_limit.
func (v *validator) syncLimit(g *Game) {
	switch {
	case g.SyncLimit == 0:
	case g.LagLimit != 0:
		v.fault(oldSyncLimit, g.SyncLimit, "is the old name of game.lag_limit, which is set to %v: delete sync_limit", g.LagLimit)
	default:
		v.between(oldSyncLimit, g.SyncLimit, 2, w3gs.MaxSyncLimit)
	}
}

// version reports a version of the game that cannot be hosted.
func (v *validator) version(key string, value w3gs.Version) {
	if !value.Exists() {
		v.fault(key, value, `must be from %v to %v, %v or %v, in quotes: version = "1.26"`, w3gs.FirstVersion, w3gs.LastClassic, w3gs.VersionTwo, w3gs.VersionThree)
	}
}

// versions reports versions in list that cannot share lobbies with the version with, which the key other sets.
func (v *validator) versions(key string, list []w3gs.Version, other string, with w3gs.Version) {
	for _, n := range list {
		v.version(key, n)
		if n.Exists() && with.Exists() && !n.SharesLobby(with) {
			v.fault(key, n, "cannot share lobbies with %s = %v: its clients compute another checksum for the same map, or speak other packets. "+
				"An [[autohost]] of its own with version = \"%[3]v\" shows them lobbies beside these", other, with, n)
		}
	}
}

// players reports settings of an entry that have no effect or let nobody in. further is the key of its further versions.
func (v *validator) players(key func(string) string, e *Entry, crossplay bool, further string) {
	if crossplay && len(e.LAN.Versions) == 0 {
		v.fault(key("crossplay"), true, "has no effect without further versions: write them into %s", further)
	}
	if e.Lobby.RequireGProxy && !e.Reconnect.Enabled {
		v.fault(key("require_gproxy"), true, "lets nobody in while reconnect.enabled = false: proxies are not answered")
	}
}

func (v *validator) between(key string, value, low, high int) {
	if value < low || value > high {
		v.fault(key, value, "must be from %d to %d", low, high)
	}
}

func (v *validator) within(key string, value Duration, low, high time.Duration) {
	if value.D() < low || value.D() > high {
		v.fault(key, value, "must be from %v to %v", low, high)
	}
}

func (v *validator) oneOf(key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		v.fault(key, strconv.Quote(value), "must be one of %s", strings.Join(allowed, ", "))
	}
}

func (v *validator) text(key, value string, low, high int) {
	if len(value) < low || len(value) > high {
		v.fault(key, strconv.Quote(value), "must have from %d to %d bytes; it has %d", low, high, len(value))
	}
}

// template validates a file name with placeholders in braces.
func (v *validator) template(key, value string) {
	v.text(key, value, 1, 200)
	rest := value
	for _, place := range replayPlaces {
		rest = strings.ReplaceAll(rest, place, "")
	}
	if strings.ContainsAny(rest, `{}/\`) {
		v.fault(key, strconv.Quote(value), "must be a file name without folder; it can hold %s", strings.Join(replayPlaces, ", "))
	}
}

func (v *validator) address(key, value string) {
	_, port, err := net.SplitHostPort(value)
	n, portErr := strconv.Atoi(port)
	if err != nil || portErr != nil || n < 0 || n > 65535 {
		v.fault(key, strconv.Quote(value), "must be ADDRESS:PORT, for example 192.168.1.5:6112, or :6112 for all addresses")
	}
}

func (v *validator) networks(key string, list []string, example string) {
	for _, n := range list {
		if _, err := ParseNetwork(n); err != nil {
			v.fault(key, n, "must be a network such as %s, or an address", example)
		}
	}
}

func (v *validator) ipv4(key, value string) {
	if _, err := ParseTarget(value, 1); err != nil {
		v.fault(key, strconv.Quote(value), "must be an IPv4 address, with :PORT if it is not lan.port, for example 192.168.1.255")
	}
}

// ParseTarget parses an IPv4 address with an optional port; port is the default.
func ParseTarget(s string, port uint16) (netip.AddrPort, error) {
	if addr, err := netip.ParseAddr(s); err == nil && addr.Is4() {
		return netip.AddrPortFrom(addr, port), nil
	}
	ap, err := netip.ParseAddrPort(s)
	if err == nil && !ap.Addr().Is4() {
		err = fmt.Errorf("%s is not an IPv4 address", s)
	}
	return ap, err
}
