package host

import (
	"net/netip"

	"w3host/game"
	"w3host/game/command"
	"w3host/host/admission"
	"w3host/host/loop"
	"w3host/internal/network"
)

// maxBearers limits the names in Game.bearers.
const maxBearers = 1024

// prove asks the realm whether the account of the player's name is in this game. Until the answer the player has no rights
// of the name, but may play. If the realm cannot prove it or denies it, the player is offered a verification code.
func (g *Game) prove(l *link) {
	if l.disputed || g.shard.SharesName(&g.facts.Info) {
		g.offerCode(l)
		return
	}
	who := l.person
	l.forget = g.shard.opts.Realms.Confirm(l.realm, l.name, g.id, l.Addr.Addr(), func(in bool) {
		g.call(func() {
			if l := g.seatOf(who); l != nil {
				l.forget = nil
				if in && !l.disputed && !g.shard.SharesName(&g.facts.Info) {
					g.vouch(l)
				} else {
					g.offerCode(l)
				}
			}
		})
	})
}

// seatOf returns the seated link of a player, or nil.
func (g *Game) seatOf(p *person) *link {
	for _, l := range g.links {
		if l.person == p && l.pid != 0 {
			return l
		}
	}
	return nil
}

// bear notes the address of a player who joins under a name of a realm, with or without a seat. If another address has
// joined under the same name, the name is disputed: the realm confirms that the account is in this game, but not at which
// address.
func (g *Game) bear(l *link) {
	if g.bearers == nil {
		g.bearers = map[string]netip.Addr{}
	}
	key, addr := admission.Account(l.realm, l.name), network.Base(l.Addr.Addr())
	first, known := g.bearers[key]
	switch {
	case known && first == addr:
		return
	case !known && len(g.bearers) < maxBearers:
		g.bearers[key] = addr
		return
	}
	l.disputed = true
	for _, o := range g.seats {
		if o != nil && admission.Account(o.realm, o.name) == key {
			o.disputed = true
		}
	}
}

// vouch treats a player's name as confirmed.
func (g *Game) vouch(l *link) {
	if l.vouched || l.pid == 0 || l.State() >= loop.Closing {
		return
	}
	l.vouched = true
	l.dropQuestion()
	g.step(&game.Input{Kind: game.Vouch, Link: l.id, Level: l.level()})
	if why := l.banned(); why != "" && l.pid != 0 {
		g.step(&game.Input{Kind: game.Ban, Link: l.id, Why: why})
	}
}

// dropQuestion withdraws the question to the realm, if one is pending.
func (p *person) dropQuestion() {
	if p.forget != nil {
		p.forget()
		p.forget = nil
	}
}

// offerCode tells a player, and nobody else, how to verify the name.
func (g *Game) offerCode(l *link) {
	if l.vouched || l.pid == 0 || l.State() >= loop.Closing {
		return
	}
	if l.code == "" {
		l.code = admission.NewCode()
	}
	text := game.HowToProve(g.shard.opts.Realms.Account(l.realm), l.realm, l.code)
	g.step(&game.Input{Kind: game.HostLine, Caller: &command.Caller{PID: l.pid, Name: l.name}, Line: text.In(g.machine.Language(l.pid))})
}

// typed checks a verification code that was typed at a seat.
func (g *Game) typed(l *link, code string) error {
	s := g.shard
	if !s.codes.Redeem(admission.Account(l.realm, l.name), code, s.Now()) {
		l.tries++
		return game.WrongProof(s.opts.Realms.Account(l.realm), l.realm)
	}
	g.vouch(l)
	return nil
}
