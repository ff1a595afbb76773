package daemon

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/host"
	"w3host/internal/network"
	"w3host/record/leavers"
	"w3host/storage"
)

const (
	// leaversQueued is the number of leavers that can wait for the database; further ones are not banned.
	leaversQueued = 64
	// leaverTimeout is the time limit for banning one.
	leaverTimeout = 10 * time.Second
)

// banLeavers bans players who leave games early, according to moderation.leaver_ban.
func (d *daemon) banLeavers() {
	queue := make(chan game.Player, leaversQueued)
	d.host.Observers = append(d.host.Observers, func(uint32, string) host.Observer {
		return leavers.New(func(p game.Player) {
			select {
			case queue <- p:
			default:
			}
		})
	})
	go func() { // ends with ctx
		for {
			select {
			case <-d.ctx.Done():
				return
			case p := <-queue:
				d.banLeaver(p)
			}
		}
	}()
}

func (d *daemon) banLeaver(p game.Player) {
	c := d.current()
	length := c.Moderation.LeaverBan.D()
	ban, ok := leaverBan(p, prefixes(c.Limits.Exempt))
	if length == 0 || !ok || d.lists.Level(host.Joiner{Name: p.OwnName(), Realm: p.Realm, Addr: p.Addr.Addr()}) >= command.Trusted {
		return
	}
	ban.At = time.Now()
	ban.Expires = ban.At.Add(length)
	ctx, cancel := context.WithTimeout(d.ctx, leaverTimeout)
	defer cancel()
	if _, err := d.db.AddBan(ctx, ban); err != nil {
		d.Log.Warn().Err(err).Str("player", p.Name).Msg("cannot ban a leaver")
		return
	}
	d.Log.Info().Str("player", p.Name).Dur("for", length).Msg("banned for leaving a game early")
}

// leaverBan returns the ban for a leaver: of the name if a realm has confirmed it, otherwise of the address, because
// anyone could use another player's name. Addresses shared by many players are not banned.
func leaverBan(p game.Player, shared []netip.Prefix) (storage.Ban, bool) {
	ban := storage.Ban{Reason: "left a game early", By: storage.ByHost}
	if p.Realm != "" {
		ban.Name, ban.Realm = p.Name, p.Realm
		return ban, true
	}
	addr := p.Addr.Addr().Unmap()
	if !addr.IsValid() || slices.ContainsFunc(shared, func(n netip.Prefix) bool { return n.Contains(addr) }) {
		return ban, false
	}
	ban.Network = network.Of(addr)
	return ban, true
}

// exempt reports whether the current limits.exempt contains an address.
func (d *daemon) exempt(addr netip.Addr) bool {
	return slices.ContainsFunc(prefixes(d.current().Limits.Exempt), func(n netip.Prefix) bool { return n.Contains(addr.Unmap()) })
}
