package lobby

import (
	"bytes"
	"slices"
	"time"

	"w3host/internal/allowance"
	"w3host/protocol/w3gs"
)

// Clients from 1.32 on show a profile and skins of each player (0x59). To 2.0 a hosting client
// sends every 0x59 back to its sender and to all others, and when a newcomer has
// said all of their own, sends them those of the others: skins, a table, profiles, a
// table. A newcomer sends one message about skins, one pair, and as many profiles
// as there are players.
//
// From 3.0 on the host sends all of them at the join, and a client's own only back to that client,
// which sends skins and a pair behind its 0x42, and a profile only when it is signed in.

// Bounds of 0x59. Real messages have up to 250 bytes. Longer ones are dropped.
const (
	maxExtraLen = 1024
	extraEvery  = 50 * time.Millisecond // from one player
	extraBurst  = 3 * w3gs.MaxSlots
	newsEvery   = 500 * time.Millisecond // of these, those with values new to the others
	newsBurst   = 10

	// meetWithin is how long after their join newcomers are introduced at the latest, or how long after
	// they have the map they count as ready without a word of their own. The host then sends their missing
	// values for them, so that no client waits for these.
	meetWithin = 2 * time.Second
)

// extras holds the messages of a client about its player; nil: none yet.
type extras struct {
	skins, pair, profile *w3gs.PlayerExtra
	profiles             int  // how often
	met                  bool // the player has been introduced to the others, and they to the player
	ownSkins, ownPair    bool // the client itself has sent them
	all, news            allowance.Allowance
}

// field is where the message of a kind is kept; nil for those that clients do not send.
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

// Extra takes a 0x59 of a player about that same player. Others only get new values.
func (l *Lobby) Extra(now time.Duration, pid uint8, e *w3gs.PlayerExtra) {
	l.begin(now)
	if p := l.human(pid); p != nil {
		l.takeExtra(p, e)
	}
	l.finish()
}

// TakesExtra reports whether Extra would have any effect.
func (l *Lobby) TakesExtra(now time.Duration, pid uint8, e *w3gs.PlayerExtra) bool {
	p := l.human(pid)
	if p == nil || !l.expectsExtra(p, e) || !isOwnExtra(p, e) {
		return false
	}
	all := p.extra.all // a copy, since nothing is taken here
	return all.Take(now, extraEvery, extraBurst*extraEvery) == 0
}

// expectsExtra reports whether clients of the version send such a message now.
func (l *Lobby) expectsExtra(p *player, e *w3gs.PlayerExtra) bool {
	return l.version().Reforged() && l.phase < phaseStarted && p.extra.field(e.Kind) != nil && len(e.Data) <= maxExtraLen
}

// isOwnExtra reports whether a message is about its sender, and fit to be shown to others.
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
		p.extra.met = p.extra.ownSkins && p.extra.ownPair
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
	if !p.extra.met && p.extra.skins != nil && p.extra.pair != nil && p.extra.profiles >= len(l.present()) {
		l.meet(p)
	}
}

// present lists all whom clients know: the virtual host, fake players, humans.
func (l *Lobby) present() []*player {
	all := slices.Concat(l.seated(true), l.seated(false))
	if l.vhost != 0 {
		all = slices.Insert(all, 0, l.virtualHost())
	}
	return all
}

// introduceAll tells a newcomer the skins of the others, and the profiles of everybody.
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

// meet introduces a newcomer and the others to each other, unless the join has done so.
func (l *Lobby) meet(p *player) {
	p.extra.met = true
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

// shownProfile returns a player's profile as others get it. A hidden player's has the number for a name and no more.
func (l *Lobby) shownProfile(p *player) *w3gs.PlayerExtra {
	if p.extra.profile == nil || !l.hides(p) {
		return p.extra.profile
	}
	return w3gs.NewProfile(p.pid, number(p.pid))
}

// tell sends a message of a player to that player, and to the others as they get it.
func (l *Lobby) tell(p *player, e *w3gs.PlayerExtra) {
	if e.Kind != w3gs.ExtraProfile || !l.hides(p) {
		l.sendExtras(l.Humans(), e)
		return
	}
	own := w3gs.Only(p.pid)
	l.sendExtras(own, e)
	l.sendExtras(l.Humans()&^own, l.shownProfile(p))
}

// sendExtras sends the ones of a list that are not nil.
func (l *Lobby) sendExtras(to w3gs.PIDs, list ...*w3gs.PlayerExtra) {
	for _, e := range list {
		if e != nil && l.version().Reforged() {
			l.broadcast(to, e)
		}
	}
}

// plainExtras returns the messages of the host about a player for whom no client speaks.
func plainExtras(p *player) extras {
	return extras{skins: w3gs.NewSkins(p.pid), profile: w3gs.NewProfile(p.pid, w3gs.StripColours(p.Req.Name))}
}

// show introduces a fake player, or the virtual host, to all who are in.
func (l *Lobby) show(p *player) {
	l.broadcast(l.Humans(), l.info(p))
	l.sendExtras(l.Humans(), p.extra.skins, p.extra.profile)
}

// extrasOfAll lists what is known of the players, from 1.32 on.
func (l *Lobby) extrasOfAll() (list []*w3gs.PlayerExtra) {
	for _, p := range slices.Concat(l.seated(true), l.seated(false)) { // without the virtual host, who is no player
		for _, e := range []*w3gs.PlayerExtra{p.extra.skins, p.extra.pair, p.extra.profile} {
			if e != nil && l.version().Reforged() {
				list = append(list, e)
			}
		}
	}
	return list
}

// unmet lists the newcomers who are still to be introduced.
func (l *Lobby) unmet() []*player {
	if !l.version().Reforged() || l.phase >= phaseStarted {
		return nil
	}
	return slices.DeleteFunc(l.seated(false), func(p *player) bool { return p.extra.met })
}

// met is everybody but those: they draw nothing before they are introduced, and get a
// table then.
func (l *Lobby) met() w3gs.PIDs {
	humans := l.Humans()
	if l.version().IntroducesAtJoin() {
		return humans
	}
	for _, p := range l.unmet() {
		humans &^= w3gs.Only(p.pid)
	}
	return humans
}

// meetLate introduces those whose time is over by then.
func (l *Lobby) meetLate(by time.Duration) {
	for _, p := range l.unmet() {
		if by >= l.meetBy(p) {
			l.meet(p)
		}
	}
}

// meetBy is when the host stops waiting for the 0x59 of a newcomer.
func (l *Lobby) meetBy(p *player) time.Duration {
	switch {
	case !l.version().IntroducesAtJoin():
		return p.joined + meetWithin
	case l.slot(p).Download != 100:
		return never
	}
	return p.hadMap + meetWithin
}
