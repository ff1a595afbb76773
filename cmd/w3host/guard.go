package main

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/rs/zerolog"

	"w3host/command"
	"w3host/storage"
)

// guardTimeout is how long the first lobby waits for the list of bans.
const guardTimeout = 2 * time.Second

// guard answers the host's questions from the lists that storage keeps in
// memory.
type guard struct {
	*storage.Guard
	lanAdmins   bool // names of the LAN count as well
	requireBans bool // without the list of bans nobody may join
}

// await gives the lists a moment, so that no banned player slips into the first
// lobby. A database that is away does not keep the host from starting.
func (g guard) await(ctx context.Context, log zerolog.Logger) {
	select {
	case <-g.Loaded():
	case <-ctx.Done():
	case <-time.After(guardTimeout):
		switch {
		case g.Known():
			log.Warn().Msg("the database does not tell bans and admins: those that it told last hold")
		case g.requireBans:
			log.Warn().Msg("bans are not known: nobody can join until the database answers (database.require_bans)")
		default:
			log.Warn().Msg("bans and admins are not known: nobody is banned until the database answers")
		}
	}
}

// Banned says why, in words that everybody in the lobby may read: no address.
func (g guard) Banned(name string, addr netip.Addr, realm string) string {
	b, banned := g.IsBanned(name, addr, realm)
	switch {
	case g.requireBans && !g.Known():
		return "the list of bans is not there yet, try again in a minute"
	case !banned:
		return ""
	case b.Reason == "":
		return fmt.Sprintf("ban %d", b.ID)
	}
	return fmt.Sprintf("%s (ban %d)", b.Reason, b.ID)
}

// Level is what an admin may do. Names are not proved on the LAN, so admins
// of the LAN count only where the operator says so.
func (g guard) Level(name, realm string) command.Level {
	if realm == "" && !g.lanAdmins {
		return command.Anyone
	}
	switch g.RoleOf(name, realm) {
	case storage.RoleRoot:
		return command.Root
	case storage.RoleAdmin:
		return command.Admin
	}
	return command.Anyone
}
