package host

import (
	"net/netip"
	"time"

	"w3host/game"
	"w3host/internal/allowance"
	"w3host/internal/network"
)

// A player may bring a ledgerShare of the ledger at once, 4 MiB, and a KiB a second besides.
// Players of real games bring some 200 bytes a second. All joins of a game together are one
// more player, and one who leaves a lobby and joins again has the share that was left.
const (
	ledgerShare = 32
	ledgerByte  = time.Second >> 10
	// renewShare of the ledger, 8 MiB, is some 60 ms of making it again.
	renewShare = 16
	// spentLeast is the least use that is remembered of players who have left.
	spentLeast = 64 << 10
)

// share returns how much of the ledger one player may use.
func (g *Game) share() time.Duration {
	return time.Duration(len(g.ledger.Memory().Bytes())/ledgerShare) * ledgerByte
}

// renew closes an empty lobby of an entry whose journal is long, so that the next one begins another: it would take
// long to make again, and in the end there would be no room.
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

// charge takes the bytes that a link has brought from its share. A link with none left is cut, since a full
// ledger would end the protection of the whole game. Answers to parts of the map are free: they are
// bounded by the parts sent.
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

// knocked counts the bytes that a join has brought.
func (g *Game) knocked(bytes int) {
	if g.ledger != nil {
		g.shares.joins.Use(g.shard.Now(), time.Duration(bytes)*ledgerByte)
	}
}

// knocks reports whether the joins have brought as much as they may.
func (g *Game) knocks() bool {
	return g.ledger != nil && g.shares.joins.Left(g.shard.Now(), g.share()) <= 0
}

// noteSpent remembers the use of a player who leaves.
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
