package config

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"w3host/protocol/w3gs"
	"w3host/realm/bncs"
)

// Realm is a [[realm]] section: one account on a PvPGN realm. Sections of the same name are accounts of the same realm.
type Realm struct {
	Name             string       `toml:"name" range:"1..32"`
	Address          string       `toml:"address"` // host:port
	Bind             string       `toml:"bind"`    // local address; "": any
	Account          string       `toml:"account" range:"2..15"`
	Password         bncs.Secret  `toml:"password"`
	PasswordFile     string       `toml:"password_file"`
	CreateAccount    bool         `toml:"create_account"`
	Channel          string       `toml:"channel" default:"w3host" range:"0..31"`
	GameVersion      w3gs.Version `toml:"game_version"` // 0: host.version
	Locale           string       `toml:"locale" default:"enUS" range:"4..4"`
	AdvertiseAddress string       `toml:"advertise_address"`                    // expected public address; the host warns if the realm sends players elsewhere
	AdvertisePort    int          `toml:"advertise_port" range:"0|1024..65535"` // 0: the port of host.listen
	Lobbies          int          `toml:"lobbies" default:"1" range:"1..100"`   // lobbies that take turns in the list of the account
	Announce         bool         `toml:"announce"`                             // announce new lobbies in the channel
}

const realmSection = "realm"

// decodeRealms decodes the [[realm]] sections of a file and reads their password files.
func (l *loader) decodeRealms(value any) {
	l.Realms = decodeList[Realm](l, realmSection, value)
	for i := range l.Realms {
		r := &l.Realms[i]
		if r.PasswordFile == "" {
			continue
		}
		text, err := os.ReadFile(r.PasswordFile)
		if err != nil {
			l.fault("%s: realm.password_file of %s: %w", l.File, r.Name, err)
		}
		r.Password = bncs.Secret(strings.TrimRight(string(text), "\r\n"))
	}
}

// realmPasswordEnv returns the variable with the password of a realm: W3HOST_REALM_<NAME>_PASSWORD.
func realmPasswordEnv(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
	return EnvPrefix + "REALM_" + plain + "_PASSWORD"
}

func isRealmPassword(name string) bool {
	return strings.HasPrefix(name, EnvPrefix+"REALM_") && strings.HasSuffix(name, "_PASSWORD")
}

// readPasswords sets the passwords of realms from the environment, which overrides the file.
func (l *loader) readPasswords(environ []string) {
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !isRealmPassword(name) {
			continue
		}
		found := false
		for i := range l.Realms {
			if realmPasswordEnv(l.Realms[i].Name) == name {
				l.Realms[i].Password, found = bncs.Secret(value), true
			}
		}
		if !found {
			l.fault("environment: %s names no [[realm]] of the configuration", name)
		}
	}
}

const (
	minRealmVersion, maxRealmVersion = w3gs.Version(24), w3gs.Version(28)
	maxRealms                        = 15
)

// realm validates the i-th [[realm]] section.
func (v *validator) realm(c *Config, i int) {
	r := &c.Realms[i]
	key := func(name string) string { return fmt.Sprintf("realm %q: %s", r.Name, name) }
	v.section(reflect.ValueOf(r).Elem(), "toml", func(name string) (string, bool) { return key(name), true })
	if _, port, err := net.SplitHostPort(r.Address); err != nil || port == "" || port == "0" {
		v.fault(key("address"), strconv.Quote(r.Address), "must be HOST:PORT, for example realm.example.org:6112")
	}
	if addr, err := netip.ParseAddr(r.Bind); r.Bind != "" && (err != nil || !addr.Is4()) {
		v.fault(key("bind"), strconv.Quote(r.Bind), "must be an IPv4 address of this machine, or empty")
	}
	if addr, err := netip.ParseAddr(r.AdvertiseAddress); r.AdvertiseAddress != "" && (err != nil || !addr.Is4()) {
		v.fault(key("advertise_address"), strconv.Quote(r.AdvertiseAddress), "must be the IPv4 address that players reach, or empty")
	}
	if r.Password == "" {
		v.fault(key("password"), "", "is missing: set password, password_file or %s", realmPasswordEnv(r.Name))
	}
	if n := c.RealmVersion(r); n < minRealmVersion || n > maxRealmVersion {
		v.fault(key("game_version"), n, "realms know %v to %v: set game_version", minRealmVersion, maxRealmVersion)
	} else if !slices.ContainsFunc(c.Versions(), n.SharesLobby) {
		v.fault(key("game_version"), n, "no lobby is for players of %v: set host.version, or version of an [[autohost]]", n)
	}
	names := map[string]bool{}
	for j, other := range c.Realms {
		names[strings.ToLower(other.Name)] = true
		same := strings.EqualFold(other.Name, r.Name)
		switch {
		case j >= i:
		case same && other.Address != r.Address:
			v.fault(key("address"), strconv.Quote(r.Address), "differs from that of another section with this name")
		case other.Address == r.Address && strings.EqualFold(other.Account, r.Account):
			v.fault(key("account"), strconv.Quote(r.Account), "is used twice: each log-on would end the other")
		}
	}
	if i == 0 && len(names) > maxRealms {
		v.fault("realm", len(names), "at most %d names", maxRealms)
	}
}

// RealmVersion returns the version of the game with which the host logs in to a realm.
func (c *Config) RealmVersion(r *Realm) w3gs.Version {
	return cmp.Or(r.GameVersion, c.Host.Version)
}
