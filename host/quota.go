package host

import (
	"net/netip"
	"time"

	"w3host/game"
	"w3host/internal/allowance"
	"w3host/internal/network"
)

// A player may add 1/ledgerShare of the ledger at once (4 MiB), and a KiB per second. Players of real games add some 200
// bytes per second. All joins of a game together have the quota of one player. A player who leaves a lobby and joins
// again keeps what is left of the quota.
const (
	ledgerShare = 32
	ledgerByte  = time.Second >> 10
	// renewShare: replaying 1/renewShare of the ledger (8 MiB) takes some 60 ms.
	renewShare = 16
	// spentLeast is the minimum use, in bytes, that is remembered of players who have left.
	spentLeast = 64 << 10
)

// share returns how much of the ledger one player may use, as a time at the refill rate.
func (g *Game) share() time.Duration {
	return time.Duration(len(g.ledger.Memory().Bytes())/ledgerShare) * ledgerByte
}

// renew closes an empty lobby of an entry if its journal is long, so that the next lobby starts a new journal: replaying a
// long one takes time, and in the end it would be full.
func (g *Game) renew() {
	if g.facts.Info.Entry == "" || g.ledger == nil || g.ledger.Len() <= len(g.ledger.Memory().Bytes())/renewShare || len(g.links) > 0 {
		return
	}
	g.call(func() {
		if g.open.Load() && len(g.links) == 0 {
			g.step(&game.Input{Kind: game.Stop, Why: "its journal is long"})
		}
	})
}

// charge counts the bytes that a link has added against the player's quota, and cuts the link if it is used up: a full
// ledger would end the protection of the whole game. Answers to parts of the map are free, because the parts sent limit
// them.
func (l *link) charge() {
	g := l.game
	if g.ledger == nil {
		return
	}
	more := time.Duration(l.brought) * ledgerByte
	l.brought = 0
	if l.stored.Take(l.shard.Now(), more, g.share()) > 0 {
		l.Cut(errLedger)
	}
}

// chargeJoin counts the bytes that a join has added.
func (g *Game) chargeJoin(bytes int) {
	if g.ledger != nil {
		g.shares.joins.Use(g.shard.Now(), time.Duration(bytes)*ledgerByte)
	}
}

// joinsSpent reports whether the joins have used up their quota.
func (g *Game) joinsSpent() bool {
	return g.ledger != nil && g.shares.joins.Left(g.shard.Now(), g.share()) <= 0
}

// noteSpent remembers the use of a player who has left.
func (g *Game) noteSpent(l *link) {
	addr := l.Addr.Addr()
	if g.ledger == nil || g.shard.admission.Exempt(addr) {
		return
	}
	share, now := g.share(), g.shard.Now()
	left := l.stored.Left(now, share)
	before := g.shares.spent[network.Base(addr)]
	if share-left < min(spentLeast*ledgerByte, share/4) || before.Left(now, share) <= left {
		return
	}
	if g.shares.spent == nil {
		g.shares.spent = map[netip.Addr]allowance.Allowance{}
	}
	g.shares.spent[network.Base(addr)] = l.stored
}
