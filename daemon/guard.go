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

// guardTimeout bounds how long the first lobby waits for the list of bans.
const guardTimeout = 2 * time.Second

// guard answers the host who is banned and who may command, from the lists that
// storage keeps in memory.
type guard struct {
	*storage.AccessCache
	config    atomic.Pointer[config.Config] // as it was read last
	countries atomic.Pointer[country.File]  // nil: none are known
}

func newGuard(lists *storage.AccessCache, c config.Config) *guard {
	g := &guard{AccessCache: lists}
	g.config.Store(&c)
	return g
}

// useCountries reads moderation.country_file. After an error nothing has changed.
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

// country is the code of an address's country; empty: it is not known.
func (g *guard) country(addr netip.Addr) string {
	if file := g.countries.Load(); file != nil {
		return file.Of(addr)
	}
	return ""
}

// warnings is the rule by which warnings lead to a ban.
func (g *guard) warnings() people.Warnings {
	m := &g.config.Load().Moderation
	return people.Warnings{Most: m.Warnings, Within: m.WarningsWithin.D(), Ban: m.WarningBan.D()}
}

// await waits for the lists for a limited time, so that no banned player gets into the
// first lobby. The host starts without a database, too.
func (g *guard) await(ctx context.Context, log zerolog.Logger) {
	select {
	case <-g.Loaded():
	case <-ctx.Done():
	case <-time.After(guardTimeout):
		switch {
		case g.Known():
			log.Warn().Msg("the database does not answer; using the last known lists of bans and admins")
		case g.config.Load().Database.RequireBans:
			log.Warn().Msg("the bans could not be loaded: nobody can join until the database answers (database.require_bans)")
		default:
			log.Warn().Msg("bans and admins could not be loaded: nobody is banned until the database answers")
		}
	}
}

// Banned is the reason of a ban, empty without one. Everybody in the lobby reads it:
// it names no address.
func (g *guard) Banned(name string, addr netip.Addr, realm string, playing bool) string {
	b, banned := g.IsBanned(name, addr, realm, playing)
	switch {
	case !playing && g.config.Load().Database.RequireBans && !g.Known():
		return "the list of bans is not there yet, try again in a minute"
	case !banned:
		return ""
	case b.Reason == "":
		return fmt.Sprintf("ban %d", b.ID)
	}
	return fmt.Sprintf("%s (ban %d)", b.Reason, b.ID)
}

// Level returns the level of an admin or a trusted player. On the LAN a name proves nothing: a role counts
// there if it is bound to a network, if its admin has logged in, or where the
// operator trusts names. An admin who has a password must log in.
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
