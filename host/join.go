package host

import (
	"cmp"
	"errors"
	"net/netip"
	"slices"
	"time"

	"w3host/game"
	"w3host/internal/network"
	"w3host/protocol/w3gs"
)

// join passes a join to the machine, with everything that the host knows about the player.
func (g *Game) join(l *link, join *w3gs.ReqJoin) {
	g.lastID++
	l.game, l.id, l.name, l.stored = g, g.lastID, join.Name, g.shares.spent[network.Base(l.Addr.Addr())]
	g.links[l.id] = l
	defer g.rescue() // from panics of the functions of Options that are called here
	if l.realm != "" {
		g.bear(l)
	}
	version := g.versionOf(join.EntryKey)
	if l.realm != "" {
		version = g.shard.opts.Realms.Version(l.realm)
	}
	g.last = game.Join
	at := g.ledger.Len()
	g.step(&game.Input{
		Kind: game.Join, Link: l.id, Packet: join, Addr: l.Addr, Realm: l.realm, Vouched: l.vouched,
		Level: l.level(), Banned: l.banned(), Shared: g.shard.admission.Exempt(l.Addr.Addr()), Version: version,
		Like: g.shard.opts.Admins.AdminLike(join.Name), Country: g.shard.opts.Country(l.Addr.Addr()),
	})
	g.chargeJoin(g.ledger.Len() - at)
	if l.realm != "" && !l.vouched && l.pid != 0 {
		g.prove(l)
	}
}

// lost tells the machine that a link has ended.
func (g *Game) lost(l *link) {
	delete(g.links, l.id)
	g.noteSpent(l)
	if l.skipped > 0 {
		g.log.Debug().Str("player", l.name).Int("packets", l.skipped).Msg("packets that a host does not use were skipped")
	}
	if g.seatOf(l.person) == nil {
		l.dropQuestion()
	}
	if l.pid != 0 {
		g.noteLeave(l)
		if g.seats[l.pid] == l {
			g.seats[l.pid] = nil
		}
		g.step(&game.Input{Kind: game.Lost, Link: l.id, Why: cmp.Or(l.Cause(), errors.New("")).Error()})
	}
	g.renew()
}

// earlyLeave is how long after the start of a game leaving it counts like leaving a lobby: a player who starts games and
// leaves them again and again takes the lobbies away from others.
const earlyLeave = 2 * time.Minute

// noteLeave counts that a player has left a lobby, or a game that has just begun, on their own.
func (g *Game) noteLeave(l *link) {
	early := g.playing && g.shard.Now()-g.playedFrom < earlyLeave
	if !early && !g.open.Load() {
		return
	}
	addr, now := l.Addr.Addr(), time.Now()
	g.shard.admission.NoteLeave(l.name, addr, now)
	if early && g.breaksUp(addr) {
		g.shard.admission.NoteBreakUp(addr, now)
	}
}

// breaksUp reports whether a player who leaves now is the first of their address to do so while at least half of the
// players remain. A player who leaves after most of the others has not broken up the game.
func (g *Game) breaksUp(addr netip.Addr) bool {
	source, left := network.Base(addr), 0
	for _, l := range g.seats {
		if l != nil {
			left++
		}
	}
	if 2*left < g.began || slices.Contains(g.broken, source) {
		return false
	}
	g.broken = append(g.broken, source)
	return true
}
