package bots

import (
	"bytes"
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// metWithin is how long a host may take to send a newcomer the profiles and skins of all players.
const metWithin = 10 * time.Second

// extras tracks the messages 0x59 (profile and skins) of clients from 1.32 on: those sent, those echoed by the host, and
// those of other players.
type extras struct {
	said     []*w3gs.PlayerExtra // sent and not echoed yet, oldest first
	profiles int                 // own profiles that were echoed
	skins    pidSet              // players whose skins have come
	profile  pidSet
}

func (p *player) reforged() bool { return p.g.run.opts.Version.Reforged() }

// sayExtra sends a message 0x59 and remembers it; the host must echo it.
func (p *player) sayExtra(e *w3gs.PlayerExtra) {
	p.send(e)
	p.extras.said = append(p.extras.said, e)
}

func (p *player) ownProfile() *w3gs.PlayerExtra { return w3gs.NewProfile(p.pid, p.name) }

// onExtra handles a message 0x59, an echo of the bot's own or a description of another player. A client up to 2.0 sends
// its skins first; after their echo it sends a pair and its profile, and then its profile once for each further player.
// A client of 3.0 sends its skins and a pair, and the host sends a profile for it.
func (p *player) onExtra(now time.Duration, q *w3gs.PlayerExtra) {
	pid := q.PID()
	own := pid == p.pid
	switch {
	case !p.need(p.reforged(), q.Op(), "to a client of %v, which knows none", p.g.run.opts.Version):
		return
	case !p.need(p.phase == inLobby, q.Op(), "outside the lobby"):
		return
	case !p.need(own || p.known.has(pid), q.Op(), "about player %d, who is not there", pid):
		return
	case own && p.echoed(q):
		if !p.g.run.opts.Version.IntroducesAtJoin() {
			p.sayMore(q.Kind)
		}
	case own && q.Kind == w3gs.ExtraProfile && !p.checked: // sent by the host for a client of 3.0
	case own:
		p.fault(q.Op(), "about the bot itself, which has not said it: % X", q.Data)
	}
	switch q.Kind {
	case w3gs.ExtraSkins:
		p.extras.skins.add(pid)
	case w3gs.ExtraProfile:
		p.extras.profile.add(pid)
	}
	p.checkReady(now)
}

// echoed reports whether q is an unchanged echo of the oldest message of its kind, and forgets that message.
func (p *player) echoed(q *w3gs.PlayerExtra) bool {
	for i, e := range p.extras.said {
		if e.Kind == q.Kind {
			p.extras.said = slices.Delete(p.extras.said, i, i+1)
			return bytes.Equal(e.Data, q.Data)
		}
	}
	return false
}

// sayMore sends the messages that follow the echo of a kind.
func (p *player) sayMore(kind w3gs.ExtraKind) {
	switch kind {
	case w3gs.ExtraSkins:
		p.sayExtra(w3gs.NewPair(p.pid))
		p.sayExtra(p.ownProfile())
	case w3gs.ExtraProfile:
		if p.extras.profiles++; p.extras.profiles < len(p.known.list())+1 {
			p.sayExtra(p.ownProfile())
		}
	}
}

// met reports whether all of the bot's messages 0x59 were echoed and it has the skins and profiles of all players.
func (p *player) met() bool {
	without := func(of pidSet) bool { missing := p.known.without(&of); return missing.empty() }
	spoken := p.extras.profiles > 0 || p.g.run.opts.Version.IntroducesAtJoin()
	return !p.reforged() || spoken && len(p.extras.said) == 0 && without(p.extras.skins) && without(p.extras.profile)
}

// needMet records a fault unless met: a client must know everybody when the game starts.
func (p *player) needMet(op w3gs.Op) {
	p.need(p.met(), op, "%d of the bot's 0x59 have not come back; of players %v it has skins of %v and profiles of %v",
		len(p.extras.said), p.known.list(), p.extras.skins.list(), p.extras.profile.list())
}
