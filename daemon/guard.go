package daemon

import (
	"context"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/control/people"
	"w3host/game/command"
	"w3host/host"
	"w3host/internal/country"
	"w3host/storage"
)

// guardTimeout is how long the first lobby waits for the list of bans.
const guardTimeout = 2 * time.Second

// guard implements host.Bans and host.Admins with the lists that package storage caches in memory.
type guard struct {
	*storage.AccessCache
	config    atomic.Pointer[config.Config] // as last loaded
	countries atomic.Pointer[country.File]  // nil if there is no country file
}

func newGuard(lists *storage.AccessCache, c config.Config) *guard {
	g := &guard{AccessCache: lists}
	g.config.Store(&c)
	return g
}

// useCountries loads moderation.country_file. After an error nothing has changed.
func (g *guard) useCountries(c config.Moderation) (err error) {
	var file *country.File
	if c.CountryFile != "" {
		if file, err = country.Read(c.CountryFile); err != nil {
			return fmt.Errorf("moderation.country_file: %w", err)
		}
	}
	g.countries.Store(file)
	return nil
}

// country returns the country code of an address, or "".
func (g *guard) country(addr netip.Addr) string {
	if file := g.countries.Load(); file != nil {
		return file.Of(addr)
	}
	return ""
}

// warnings returns the current rule by which warnings lead to a ban.
func (g *guard) warnings() people.Warnings {
	m := &g.config.Load().Moderation
	return people.Warnings{Most: m.Warnings, Within: m.WarningsWithin.D(), Ban: m.WarningBan.D()}
}

// await waits for the lists, for at most guardTimeout, so that no banned player joins the first lobby. The host also
// starts without a database.
func (g *guard) await(ctx context.Context, log zerolog.Logger) {
	select {
	case <-g.Loaded():
	case <-ctx.Done():
	case <-time.After(guardTimeout):
		switch {
		case g.Known():
			log.Warn().Msg("the database does not answer; using the last known lists of bans and admins")
		case g.config.Load().Database.RequireBans:
			log.Warn().Msg("cannot load the bans; no player can join until the database answers (database.require_bans)")
		default:
			log.Warn().Msg("cannot load bans and admins; bans do not apply until the database answers")
		}
	}
}

// Banned returns the reason of a ban, or "". All players in the lobby see it, so it contains no address.
func (g *guard) Banned(name string, addr netip.Addr, realm string, playing bool) string {
	b, banned := g.IsBanned(name, addr, realm, playing)
	switch {
	case !playing && g.config.Load().Database.RequireBans && !g.Known():
		return "the list of bans is not loaded yet; try again in a minute"
	case !banned:
		return ""
	case b.Reason == "":
		return fmt.Sprintf("ban %d", b.ID)
	}
	return fmt.Sprintf("%s (ban %d)", b.Reason, b.ID)
}

// Level returns the level of an admin or trusted player. On the LAN anyone can use any name, so a role applies there
// only if it is bound to a network, if the admin has logged in, or if lobby.lan_admins trusts names. An admin with a
// password must log in.
func (g *guard) Level(who host.Joiner) (level command.Level) {
	for _, a := range g.AdminsAs(who.Name, who.Realm, who.Addr) {
		trusted := who.Realm != "" || a.Network.IsValid() || g.config.Load().Lobby.LANAdmins
		switch {
		case a.Password && !who.LoggedIn, !a.Password && !trusted:
		case a.Role == storage.RoleRoot:
			return command.Root
		case a.Role == storage.RoleAdmin:
			level = command.Admin
		case a.Role == storage.RoleTrusted:
			level = max(level, command.Trusted)
		}
	}
	return level
}
