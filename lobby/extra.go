package lobby

import (
	"bytes"
	"slices"
	"time"

	"w3host/internal/allowance"
	"w3host/protocol/w3gs"
)

// Clients from 1.32 on show each player's profile and skins. They exchange them in 0x59 messages. A
// hosting client up to 2.0 sends each 0x59 back to its sender and on to all others. A newcomer
// sends its skins, one message of kind ExtraPair, and a profile for each player in the lobby. When
// it has sent them all, it receives those of the others, in this order: skins, a slot table,
// profiles, another slot table.

// Limits for 0x59. Real messages have up to 250 bytes; longer ones than maxExtraLen are dropped.
const (
	maxExtraLen = 1024
	extraEvery  = 50 * time.Millisecond // minimum interval per player
	extraBurst  = 3 * w3gs.MaxSlots
	newsEvery   = 500 * time.Millisecond // the same for messages with new values, which are relayed to others
	newsBurst   = 10

	// introduceWithin is how long the host waits for the 0x59 of a newcomer: from the join, or from 3.0 on from the time at
	// which the client has the map. Then it sends the missing values itself, so that no client waits for them.
	introduceWithin = 2 * time.Second
)

// extras holds the 0x59 messages of a player; nil fields were not received yet.
type extras struct {
	skins, pair, profile *w3gs.PlayerExtra
	profiles             int  // number of profiles received
	introduced           bool // the 0x59 exchange between this player and the others is complete
	ownSkins, ownPair    bool // sent by the client itself
	all, news            allowance.Allowance
}

// field returns where a message of this kind is stored, or nil for kinds that clients do not send.
func (e *extras) field(kind w3gs.ExtraKind) **w3gs.PlayerExtra {
	switch kind {
	case w3gs.ExtraSkins:
		return &e.skins
	case w3gs.ExtraPair:
		return &e.pair
	case w3gs.ExtraProfile:
		return &e.profile
	}
	return nil
}

// Extra handles a 0x59 that a player sends about itself. Only new values are relayed to others.
func (l *Lobby) Extra(now time.Duration, pid uint8, e *w3gs.PlayerExtra) {
	l.begin(now)
	if p := l.human(pid); p != nil {
		l.takeExtra(p, e)
	}
	l.finish()
}

// TakesExtra reports whether Extra would have an effect.
func (l *Lobby) TakesExtra(now time.Duration, pid uint8, e *w3gs.PlayerExtra) bool {
	p := l.human(pid)
	if p == nil || !l.expectsExtra(p, e) || !isOwnExtra(p, e) {
		return false
	}
	all := p.extra.all // a copy: this method does not count the message
	return all.Take(now, extraEvery, extraBurst*extraEvery) == 0
}

// expectsExtra reports whether clients of this version send such a message in this phase.
func (l *Lobby) expectsExtra(p *player, e *w3gs.PlayerExtra) bool {
	return l.version().Reforged() && l.phase < phaseStarted && p.extra.field(e.Kind) != nil && len(e.Data) <= maxExtraLen
}

// isOwnExtra reports whether a message is about its sender and safe to relay.
func isOwnExtra(p *player, e *w3gs.PlayerExtra) bool { return e.PID() == p.pid && e.HasPlainTexts() }

func (l *Lobby) takeExtra(p *player, e *w3gs.PlayerExtra) {
	if !l.expectsExtra(p, e) || p.extra.all.Take(l.now, extraEvery, extraBurst*extraEvery) > 0 || !isOwnExtra(p, e) {
		return
	}
	known := p.extra.field(e.Kind)
	p.extra.ownSkins = p.extra.ownSkins || e.Kind == w3gs.ExtraSkins
	p.extra.ownPair = p.extra.ownPair || e.Kind == w3gs.ExtraPair
	switch old := *known; {
	case l.version().IntroducesAtJoin():
		*known = e
		l.send(p.pid, e)
		p.extra.introduced = p.extra.ownSkins && p.extra.ownPair
		return
	case old != nil && bytes.Equal(old.Data, e.Data):
		l.send(p.pid, e)
	case p.extra.news.Take(l.now, newsEvery, newsBurst*newsEvery) == 0:
		*known = e
		l.tell(p, e)
	default:
		return
	}
	if e.Kind == w3gs.ExtraProfile {
		p.extra.profiles++
	}
	if !p.extra.introduced && p.extra.skins != nil && p.extra.pair != nil && p.extra.profiles >= len(l.present()) {
		l.introduce(p)
	}
}

// present lists all players known to clients: the virtual host, fake players and humans.
func (l *Lobby) present() []*player {
	all := slices.Concat(l.seated(true), l.seated(false))
	if l.vhost != 0 {
		all = slices.Insert(all, 0, l.virtualHost())
	}
	return all
}

// introduceAll sends a newcomer the skins of the other players and the profiles of all.
func (l *Lobby) introduceAll(p *player) {
	to := w3gs.Only(p.pid)
	others := slices.DeleteFunc(l.present(), func(other *player) bool { return other == p })
	for _, other := range others {
		l.sendExtras(to, other.extra.skins)
	}
	for _, other := range others {
		l.sendExtras(to, l.shownProfile(other))
	}
	l.sendExtras(to, p.extra.profile)
}

// introduce completes the 0x59 exchange between a newcomer and the others, unless that happened at the join.
func (l *Lobby) introduce(p *player) {
	p.extra.introduced = true
	if l.version().IntroducesAtJoin() {
		return
	}
	plain := plainExtras(p)
	for _, e := range []*w3gs.PlayerExtra{plain.skins, plain.profile} {
		if known := p.extra.field(e.Kind); *known == nil {
			*known = e
			l.tell(p, e)
		}
	}
	to := w3gs.Only(p.pid)
	others := slices.DeleteFunc(l.present(), func(other *player) bool { return other == p })
	for _, other := range others {
		l.sendExtras(to, other.extra.skins, other.extra.pair)
	}
	l.broadcast(to, &w3gs.SlotInfo{SlotTable: l.SlotTable()})
	for _, other := range others {
		l.sendExtras(to, l.shownProfile(other))
	}
	l.flushTable(l.Humans())
}

// shownProfile returns a player's profile as other players get it. That of a hidden player contains only the player number as
// its name.
func (l *Lobby) shownProfile(p *player) *w3gs.PlayerExtra {
	if p.extra.profile == nil || !l.hides(p) {
		return p.extra.profile
	}
	return w3gs.NewProfile(p.pid, number(p.pid))
}

// tell sends a message about a player to that player, and to the others with hidden names replaced.
func (l *Lobby) tell(p *player, e *w3gs.PlayerExtra) {
	if e.Kind != w3gs.ExtraProfile || !l.hides(p) {
		l.sendExtras(l.Humans(), e)
		return
	}
	own := w3gs.Only(p.pid)
	l.sendExtras(own, e)
	l.sendExtras(l.Humans()&^own, l.shownProfile(p))
}

// sendExtras sends the messages that are not nil.
func (l *Lobby) sendExtras(to w3gs.PIDs, list ...*w3gs.PlayerExtra) {
	for _, e := range list {
		if e != nil && l.version().Reforged() {
			l.broadcast(to, e)
		}
	}
}

// plainExtras returns default messages for a player whose client has sent none.
func plainExtras(p *player) extras {
	return extras{skins: w3gs.NewSkins(p.pid), profile: w3gs.NewProfile(p.pid, w3gs.StripColours(p.Req.Name))}
}

// show introduces a fake player or the virtual host to all players.
func (l *Lobby) show(p *player) {
	l.broadcast(l.Humans(), l.info(p))
	l.sendExtras(l.Humans(), p.extra.skins, p.extra.profile)
}

// extrasOfAll lists the known messages of all players, from 1.32 on.
func (l *Lobby) extrasOfAll() (list []*w3gs.PlayerExtra) {
	for _, p := range slices.Concat(l.seated(true), l.seated(false)) { // the virtual host is not a player of the game
		for _, e := range []*w3gs.PlayerExtra{p.extra.skins, p.extra.pair, p.extra.profile} {
			if e != nil && l.version().Reforged() {
				list = append(list, e)
			}
		}
	}
	return list
}

// notIntroduced lists the newcomers whose 0x59 exchange is not complete.
func (l *Lobby) notIntroduced() []*player {
	if !l.version().Reforged() || l.phase >= phaseStarted {
		return nil
	}
	return slices.DeleteFunc(l.seated(false), func(p *player) bool { return p.extra.introduced })
}

// introduced returns the players whose exchange is complete. The others display nothing before, and get a slot table then.
func (l *Lobby) introduced() w3gs.PIDs {
	humans := l.Humans()
	if l.version().IntroducesAtJoin() {
		return humans
	}
	for _, p := range l.notIntroduced() {
		humans &^= w3gs.Only(p.pid)
	}
	return humans
}

// introduceOverdue completes the exchange of newcomers whose time is over at time by.
func (l *Lobby) introduceOverdue(by time.Duration) {
	for _, p := range l.notIntroduced() {
		if by >= l.introduceBy(p) {
			l.introduce(p)
		}
	}
}

// introduceBy returns when the host stops waiting for the 0x59 of a newcomer.
func (l *Lobby) introduceBy(p *player) time.Duration {
	switch {
	case !l.version().IntroducesAtJoin():
		return p.joined + introduceWithin
	case l.slot(p).Download != 100:
		return never
	}
	return p.hadMap + introduceWithin
}
